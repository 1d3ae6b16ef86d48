import type { Page } from 'playwright-core';
import { anOrderBody } from '../builders/order-body.js';
import { startBuiltApi } from '../support/built-api.js';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';

describeInBrowser('the dashboard when something fails', () => {
  let scene: DashboardScene;

  beforeAll(async () => (scene = await dashboardScene()));
  afterAll(() => scene?.stop());

  const placeOrder = async () => (await scene.api.place(anOrderBody(scene.product, 2))).receipt_number;
  const shipments = async (receipt: string) => {
    const { body } = await scene.api.get(`/v1/orders/${receipt}`);
    return (JSON.parse(body) as { data: { shipments: unknown[] } }).data.shipments.length;
  };
  async function ship(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Ship…' }).press('Enter');
    await page.getByLabel('Tracking number').fill('0034');
    await page.keyboard.press('Enter');
  }

  it('repeats an action with its key when the process is killed in it, and it is done once', async () => {
    const receipt = await placeOrder();
    const port = await freePort();
    const start = async () => {
      const api = startBuiltApi({ ...scene.env, PORT: String(port), LOG_LEVEL: 'silent' });
      await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).ok).toBe(true));
      return api.process;
    };
    let process = await start();
    const { page } = await scene.desk('warehouse');
    await page.goto(`http://127.0.0.1:${port}/dashboard/#/orders/${receipt}`);
    const keys: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
    });
    await page.getByRole('button', { name: 'Ship…' }).waitFor();
    const blocker = await openTransaction(scene.api.database, 'SELECT FROM orders FOR UPDATE');
    try {
      await ship(page);
      await eventually(async () => expect(await lockWaits(scene.api.database)).toBe(1));
      process.kill('SIGKILL');
      await blocker.end();
      process = await start();

      await page.getByText('SHIP-1 shipped.').waitFor();
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(1);
      expect(await shipments(receipt)).toBe(1);
    } finally {
      await blocker.end();
      process.kill('SIGKILL');
    }
    await page.context().close();
  });

  it('shows what is wrong at the field at fault, until the form is sent again', async () => {
    const receipt = await placeOrder();
    const { page, open } = await scene.desk('warehouse');
    await open(`#/orders/${receipt}`);
    await page.getByRole('button', { name: 'Ship…' }).press('Enter');
    const field = page.getByLabel('Tracking number');
    await field.fill('0'.repeat(201));
    await page.keyboard.press('Enter');

    await page.getByRole('alert').getByText('Correct the marked field.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const noteId = String(await field.getAttribute('aria-describedby'));
    expect(await page.locator(`[id="${noteId}"]`).textContent()).toMatch(/^must be text of at most 200 characters/);
    expect(await page.getByLabel('Shipment number').getAttribute('aria-invalid')).toBe('false');

    await field.fill('0034');
    await page.keyboard.press('Enter');
    await page.getByText('SHIP-1 shipped.').waitFor();
    await page.context().close();
  });

  it('repeats an action whose answer is lost, which is done once', async () => {
    const receipt = await placeOrder();
    const { page, open } = await scene.desk('warehouse');
    await open(`#/orders/${receipt}`);
    let n = 0;
    await page.route('**/shipments', async (route) => {
      const response = await route.fetch();
      if (++n === 1) await route.abort('connectionreset');
      else await route.fulfill({ response });
    });
    await ship(page);

    await page.getByText('SHIP-1 shipped.').waitFor();
    expect([n, await shipments(receipt)]).toEqual([2, 1]);
    await page.context().close();
  });

  it('says that the service does not answer, keeps what was typed, and sends it when asked', async () => {
    const receipt = await placeOrder();
    const { page, open } = await scene.desk('warehouse');
    await open(`#/orders/${receipt}`);
    await page.route('**/shipments', (route) => route.abort());
    await ship(page);
    await page.getByText('Trying again…').waitFor();
    await page.getByText('The service did not answer.').waitFor();
    await page.unroute('**/shipments');
    await page.keyboard.press('Enter');

    await page.getByText('SHIP-1 shipped.').waitFor();
    expect(await shipments(receipt)).toBe(1);
    await page.context().close();
  });

  it('says that a key may exist whose answer is lost', async () => {
    const { page, open } = await scene.desk('owner');
    await open('#/developers');
    await page.route('**/v1/keys', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'New key…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Robot');
    await page.getByLabel('place orders').check();
    await page.getByRole('button', { name: 'Create' }).click();

    expect(await page.getByRole('alert').textContent()).toMatch(/The key may still have been created/);
    await page.context().close();
  });

  it('keeps its header while the service is down, and reads again without a click', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/');
    await page.route('**/v1/**', (route) => route.abort());
    await page.reload();
    const failure = page.getByText('Retrying every 10 s.');
    await failure.waitFor();
    expect(await page.getByRole('banner').textContent()).toBe('Store dashboard');
    await Promise.all([page.waitForRequest('**/v1/key'), page.getByRole('button', { name: 'Try again' }).click()]);
    expect(await failure.count()).toBe(1);
    await page.unroute('**/v1/**');

    await page.getByRole('heading', { name: 'Newest orders' }).waitFor();
    await page.context().close();
  });

  it('reads the feed in one of two tabs, which takes over when the other is closed', async () => {
    const { page, open } = await scene.desk('viewer');
    const polls = { first: 0, second: 0 };
    const count = (tab: Page, name: keyof typeof polls) =>
      tab.on('request', (request) => (polls[name] += Number(request.url().includes('/v1/changes'))));
    count(page, 'first');
    await open('#/orders');
    await page.getByText('Live', { exact: true }).waitFor();
    const second = await page.context().newPage();
    count(second, 'second');
    await second.goto(`${scene.origin}/dashboard/#/orders`);
    await second.getByRole('row').nth(1).waitFor();

    await placeOrder();
    for (const tab of [page, second]) await tab.getByRole('button', { name: 'Show 1 new order' }).waitFor();
    expect(polls).toEqual({ first: expect.any(Number) as number, second: 0 });
    await page.close();
    await eventually(() => expect(polls.second).toBeGreaterThan(0));
    await placeOrder();
    await second.getByRole('button', { name: 'Show 2 new orders' }).waitFor();
    await second.context().close();
  });

  it('reads its lists again when its place in the feed is refused, in the tab that reads it and in the others', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/orders?queue=all');
    await page.getByText('Live', { exact: true }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${scene.origin}/dashboard/#/orders?queue=all`);
    await second.getByRole('row').nth(1).waitFor();
    let receipt = '';
    let refused = 0;
    await page.context().route('**/v1/changes?*', async (route) => {
      if (receipt) return route.continue();
      if (!route.request().url().includes('cursor=now')) {
        refused++;
        return route.fulfill({ status: 400, json: { success: false, error: 'The cursor is unknown.' } });
      }
      receipt = await placeOrder();
      return route.continue();
    });
    // The order ends the waiting request.
    await placeOrder();

    for (const tab of [page, second])
      await eventually(async () => expect(await tab.getByRole('link', { name: receipt || 'none' }).count()).toBe(1));
    expect(refused).toBeGreaterThan(0);
    await page.context().close();
  });

  it('stays readable without a network, and catches up with it', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/orders');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline. The page shows the last data').waitFor();
    await page.getByText(/^Reconnecting since/).waitFor();
    expect(await page.getByRole('row').count()).toBeGreaterThan(1);
    await placeOrder();
    await page.context().setOffline(false);

    await page.getByRole('button', { name: 'Show 1 new order' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('You are offline.').count()).toBe(0);
    await page.context().close();
  });
});

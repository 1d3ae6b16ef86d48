import type { Role } from '@app/domain';
import { anOrderBody } from '../builders/order-body.js';
import { dashboardScene, describeInBrowser, type DashboardScene, type Desk } from '../support/dashboard-scene.js';
import { Hands } from '../support/hands.js';

const LIMIT_SECONDS = 30;
/**
 * Simulates a phone whose requests take 800 ms longer, and every 20th of which fails; used by hand, for
 * docs/dashboard.md.
 */
const IS_SLOW = process.env.SLOW !== undefined;

interface Task {
  readonly name: string;
  readonly role: Role;
  readonly prepare?: () => Promise<string>;
  readonly begin?: (given: string) => string;
  readonly run: (hands: Hands, given: string) => Promise<void>;
}

describeInBrowser('the twelve tasks, each by the keyboard in less than 30 seconds', () => {
  let scene: DashboardScene;
  const measured: string[] = [];

  beforeAll(async () => (scene = await dashboardScene()));
  afterAll(async () => {
    await scene?.stop();
    if (process.env.SECONDS) process.stderr.write(`${measured.join('\n')}\n`);
  });

  const sql = (text: string, ...values: unknown[]) => scene.api.database.query(text, values);
  const placeOrder = async (more: object = {}) => {
    const customer = { name: 'Grace Hopper', email: 'grace@example.com' };
    return (await scene.api.place(anOrderBody(scene.product, 2, { customer, ...more }))).receipt_number;
  };
  const post = async (url: string, body: object) => {
    const { statusCode, body: answer } = await scene.api.post(url, body);
    expect([statusCode < 300, answer]).toEqual([true, expect.any(String)]);
    return (JSON.parse(answer) as { data: { id: string; key?: string } }).data;
  };
  const ofOrder = (receipt: string) => `#/orders/${receipt}`;
  const amountOf = async (receipt: string) => {
    const { body } = await scene.api.get(`/v1/orders/${receipt}`);
    return (JSON.parse(body) as { data: { total_amount: number } }).data.total_amount;
  };
  const aPaidOrder = async () => {
    const receipt = await placeOrder();
    await post(`/v1/orders/${receipt}/payments`, { reference: 'P', amount: await amountOf(receipt), currency: 'USD' });
    return receipt;
  };

  const TASKS: readonly Task[] = [
    {
      name: 'does anything need me?',
      role: 'manager',
      prepare: async () => {
        const receipt = await placeOrder();
        await post(`/v1/orders/${receipt}/hold`, { reason: 'The address is odd' });
        return receipt;
      },
      begin: () => '#/stock',
      run: async (hands) => {
        await hands.press('g', 'h');
        await hands.page.getByRole('link', { name: /^Review: \d+ orders? under review/ }).waitFor();
      },
    },
    {
      name: 'find an order by its number, the e-mail, the name or the own number',
      role: 'viewer',
      prepare: () =>
        placeOrder({
          customer: { name: 'Rosalind Franklin', email: 'rosalind@x.example' },
          external_reference: 'PO-117',
        }),
      run: async (hands, receipt) => {
        await hands.press('/');
        await hands.page.locator('#search:focus').waitFor();
        for (const text of ['PO-117', 'Rosalind', 'rosalind@x.example', receipt]) {
          await hands.press('ControlOrMeta+a');
          await hands.type(text);
          await hands.press('Enter');
          await hands.page.locator(`#search[value="${text}"]:focus`).waitFor();
          await hands.page.getByText('1 order', { exact: true }).waitFor();
          await hands.page.getByRole('link', { name: receipt }).waitFor();
        }
        await hands.reach(hands.page.getByRole('link', { name: receipt }));
        await hands.press('Enter');
        await hands.page.getByRole('heading', { name: receipt }).waitFor();
      },
    },
    {
      name: 'ship it with tracking',
      role: 'warehouse',
      prepare: placeOrder,
      begin: ofOrder,
      run: async (hands) => {
        await hands.ask('Ship…');
        await hands.type('0034043400001');
        await hands.enter(hands.page.getByText('SHIP-1 shipped.'));
        await hands.page.locator('h1:focus').waitFor();
      },
    },
    {
      name: 'ship a part',
      role: 'warehouse',
      prepare: placeOrder,
      begin: ofOrder,
      run: async (hands) => {
        await hands.ask('Ship…');
        await hands.type('0034043400002');
        await hands.reach(hands.page.getByLabel(/^Units of /));
        await hands.type('1');
        await hands.enter(hands.page.getByText('SHIP-1 shipped.'));
        await hands.page.getByText('1 shipped', { exact: true }).waitFor();
        expect(await hands.page.getByRole('dialog').count()).toBe(0);
        expect(await hands.page.getByRole('button', { name: 'Record payment…' }).count()).toBe(0);
      },
    },
    {
      name: 'decide about a held order',
      role: 'manager',
      run: async (hands) => {
        await hands.reach(hands.page.getByRole('link', { name: /^Review: / }));
        await hands.press('Enter');
        await hands.page.getByRole('link', { name: 'Under review', exact: false }).waitFor();
        await hands.page.locator('tbody [data-row]').first().waitFor();
        await hands.press('j', 'Enter');
        await hands.page.getByText('The order does not ship until you release it.').waitFor();
        await hands.ask('Release…');
        await hands.reach(hands.page.getByRole('button', { name: 'Release', exact: true }));
        await hands.enter(hands.page.getByText('1 order released.'));
      },
    },
    {
      name: 'cancel, and know what to pay back',
      role: 'manager',
      prepare: aPaidOrder,
      begin: ofOrder,
      run: async (hands) => {
        await hands.ask('Cancel order…');
        await hands.reach(hands.page.getByLabel('Reason'));
        await hands.type('The customer asked');
        await hands.enter(hands.page.getByText(/^WEB-\S+ cancelled\./));
        await hands.page.getByText(/^Refund \$/).waitFor();
        await hands.ask('Record refund…');
        await hands.enter(hands.page.getByText(/^Refund of \$/));
      },
    },
    {
      name: 'cash has come: record the payment',
      role: 'support',
      prepare: placeOrder,
      begin: ofOrder,
      run: async (hands) => {
        await hands.ask('Record payment…');
        await hands.enter(hands.page.getByText(/^Payment of \S+ recorded\./));
        await hands.page.getByText('paid', { exact: true }).waitFor();
      },
    },
    {
      name: '“I got no mail”: was it sent? Send it again',
      role: 'support',
      prepare: placeOrder,
      begin: ofOrder,
      run: async (hands) => {
        const mail = hands.page.getByRole('listitem').filter({ hasText: 'Confirmation' });
        await mail.getByText('sent', { exact: true }).waitFor();
        await hands.ask('Resend…', mail);
        await hands.reach(hands.page.getByRole('button', { name: 'Resend', exact: true }));
        await hands.enter(hands.page.getByText('Email queued.'));
      },
    },
    {
      name: 'correct a stock quantity',
      role: 'warehouse',
      prepare: async () => {
        await scene.api.store.product({ name: 'Tent', sku: 'TENT-7', stock: 20 });
        return 'TENT-7';
      },
      run: async (hands, sku) => {
        await hands.press('g', 's');
        await hands.page.getByRole('heading', { name: 'Stock' }).waitFor();
        await hands.press('/');
        await hands.type(sku);
        await hands.press('Enter');
        await hands.page.getByText('1 row', { exact: true }).waitFor();
        await hands.ask('Adjust…', hands.page.getByRole('main'));
        await hands.type('-3');
        await hands.enter(hands.page.getByText(`Stock of ${sku} updated.`));
        await hands.page.getByText('17', { exact: true }).waitFor();
      },
    },
    {
      name: 'give the ERP a key that can ship, and copy it',
      role: 'owner',
      run: async (hands) => {
        const { page } = hands;
        await hands.press('g', 'd');
        await hands.ask('New key…');
        await hands.type('Shipping robot');
        await hands.reach(page.getByLabel('ship, cancel, release'));
        await hands.press('Space');
        await hands.enter(page.getByRole('heading', { name: 'Key created' }));
        // Only its button closes the dialog.
        await hands.press('Escape', 'Escape');
        await hands.reach(page.getByRole('button', { name: 'Copy the secret' }));
        await hands.press('Enter');
        await page.getByText('Copied', { exact: true }).first().waitFor();
        const key = await page.evaluate<string>('navigator.clipboard.readText()');
        const { body } = await scene.api.inject({ url: '/v1/key', headers: { authorization: `Bearer ${key}` } });
        expect(JSON.parse(body)).toMatchObject({ data: { name: 'Shipping robot', scope: ['read', 'fulfillment'] } });
        await hands.reach(page.getByRole('button', { name: 'I have stored it' }));
        await hands.press('Enter');
        await page
          .getByRole('row', { name: /Shipping robot/ })
          .first()
          .waitFor();
        expect(await page.getByText(key).count()).toBe(0);
      },
    },
    {
      name: 'a key has leaked: revoke it',
      role: 'owner',
      prepare: async () => {
        const { secret } = await scene.api.store.session('owner');
        const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${secret}` };
        const payload = { name: 'Leaked', scope: ['orders'] };
        const { body } = await scene.api.inject({ method: 'POST', url: '/v1/keys', headers, payload });
        const { id, key } = (JSON.parse(body) as { data: { id: string; key: string } }).data;
        await sql(`INSERT INTO api_key_usage SELECT store_id, id, now(), 18204, 0 FROM api_keys WHERE id = $1`, id);
        await sql('UPDATE api_keys SET last_used_at = now() WHERE id = $1', id);
        return key;
      },
      run: async (hands, key) => {
        const { page } = hands;
        await hands.press('g', 'd');
        await hands.ask('Revoke…', page.getByRole('row', { name: /Leaked/ }));
        await page.getByText(/made 18,204 requests in the last 7 days/).waitFor();
        await hands.reach(page.getByRole('button', { name: 'Revoke', exact: true }));
        await hands.enter(page.getByText(/ revoked\.$/));
        const { statusCode } = await scene.api.inject({ url: '/v1/key', headers: { authorization: `Bearer ${key}` } });
        expect(statusCode).toBe(403);
      },
    },
    {
      name: 'why does the webhook fail? Go on',
      role: 'manager',
      prepare: async () => {
        const { id } = await post('/v1/webhooks', { name: 'ERP', url: 'https://erp.example.com/hooks' });
        await sql(
          `INSERT INTO webhook_deliveries SELECT store_id, id, 1, 'msg_1', 'orders.changed', now(), 'connect', NULL, 19, 'ECONNREFUSED'
           FROM webhooks WHERE id = $1`,
          id,
        );
        await sql(
          `UPDATE webhooks SET state = 'paused', reason = 'failing', failures = 9, attempts = 1 WHERE id = $1`,
          id,
        );
        return id;
      },
      run: async (hands) => {
        const { page } = hands;
        await hands.reach(page.getByRole('link', { name: /^View: 1 paused webhook/ }));
        await hands.press('Enter');
        await page.getByText('Paused. Nothing listens at this host and port.').waitFor();
        await hands.reach(page.getByRole('button', { name: 'Test: ERP' }));
        await hands.enter(page.getByText('Test message queued. The result appears here in a few seconds.'));
        await hands.reach(page.getByRole('button', { name: 'Resume: ERP' }));
        await hands.enter(page.getByText('last message failed', { exact: true }));
      },
    },
  ];

  async function makeSlow({ page }: Desk): Promise<void> {
    let n = 0;
    await page.route('**', async (route) => {
      const fails = ++n % 20 === 0;
      await new Promise((done) => setTimeout(done, 800));
      await (fails && n > 20 ? route.abort() : route.continue()).catch(() => undefined);
    });
  }

  it.each(TASKS)('$name', async ({ name, role, prepare, begin = () => '#/', run }) => {
    const given = (await prepare?.()) ?? '';
    const phone = IS_SLOW ? { viewport: { width: 390, height: 844 } } : {};
    const desk = await scene.desk(role, { permissions: ['clipboard-read', 'clipboard-write'], ...phone });
    await desk.open(begin(given));
    if (IS_SLOW) await makeSlow(desk);
    const begun = performance.now();
    await run(new Hands(desk.page), given);

    const seconds = (performance.now() - begun) / 1_000;
    measured.push(`${name}: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(LIMIT_SECONDS);
    if (!IS_SLOW) expect(desk.trouble).toEqual([]);
    await desk.page.context().close();
  });
});

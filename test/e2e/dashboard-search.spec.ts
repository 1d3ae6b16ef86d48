import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';

describeInBrowser('the search of the dashboard', () => {
  let scene: DashboardScene;
  beforeAll(async () => {
    scene = await dashboardScene();
    const { store } = scene.api;
    const person = { customer_name: 'Zenobia Quill', customer_phone: '+1 308 771 9462', source: 'WEBSITE' };
    await store.order({ receipt_number: 'WEB-QUILL', ...person });
    await store.order({ receipt_number: 'WEB-TRIAL', is_test: true, ...person });
    await store.customer({ name: 'Zenobia Quill', email: 'zenobia@quill.example', phone: '308-771-9462' });
    const product = await store.product({ name: 'Harmonica', sku: 'HARM' });
    await store.variant(product, { sku: 'HARM-C' });
  });
  afterAll(() => scene?.stop());

  it('finds orders and customers by a phone, opens one with the keyboard, and closes with Escape', async () => {
    const { page, open, settled, trouble } = await scene.desk('viewer');
    await open('#/stock');
    const results = page.locator('.found');

    await page.keyboard.press('f');
    await page.keyboard.type('(308) 771-9462');
    await results.getByText('2 results').waitFor();
    expect(await results.getByRole('list', { name: 'Orders' }).getByRole('link').allInnerTexts()).toEqual([
      expect.stringMatching(/^WEB-QUILL\s+Zenobia Quill, /),
    ]);
    await results.getByRole('list', { name: 'Customers' }).getByRole('link', { name: 'Zenobia Quill' }).waitFor();
    await page.keyboard.press('Escape');
    await results.waitFor({ state: 'detached' });
    await page.locator('#find:focus').waitFor();

    await page.keyboard.type('zenobia');
    await results.getByText('2 results').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.found a:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'WEB-QUILL' }).waitFor();
    await settled();
    expect(await results.count()).toBe(0);
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('leads from a SKU to its product, says when nothing is found, and closes when it is left', async () => {
    const { page, open } = await scene.desk('viewer');
    await open('#/');
    const field = page.getByLabel('Search everything');
    await field.fill('harm-c');
    const units = page.locator('.found').getByRole('list', { name: 'SKUs' });
    await units.getByRole('link', { name: 'HARM-C' }).click();
    await page.getByRole('heading', { name: 'Harmonica' }).waitFor();

    await field.fill('no such thing');
    await page.locator('.found').getByText('0 results').waitFor();
    await page.locator('h1').click();
    await page.locator('.found').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('finds only test orders in test mode', async () => {
    const { page, open } = await scene.desk('owner');
    await open('#/');
    await page.locator('.person summary').click();
    await page.getByRole('button', { name: 'Switch to test mode' }).click();
    await page.getByText('Test mode: only test orders are shown.').waitFor();

    await page.getByLabel('Search everything').fill('zenobia');
    const orders = page.locator('.found').getByRole('list', { name: 'Orders' });
    await orders.getByRole('link', { name: 'WEB-TRIAL' }).waitFor();

    expect(await orders.getByRole('link').count()).toBe(1);
    await page.context().close();
  });

  it.each([
    { device: 'desktop', viewport: { width: 1280, height: 860 } },
    { device: 'phone', viewport: { width: 390, height: 844 } },
  ])('has no fault that axe finds, and fits the width, on a $device', async ({ device, viewport }) => {
    const { page, open, faults } = await scene.desk('viewer', { viewport });
    for (const address of ['#/', '#/orders?queue=all']) {
      await open(address);
      await page.getByLabel('Search everything').fill('zenobia');
      await page.locator('.found').getByText('2 results').waitFor();
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/search-${device}.png` });

      expect(await faults()).toEqual([]);
      const box = await page.locator('.found').boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
      const field = await page.getByLabel('Search everything').boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual((field?.y ?? 0) + (field?.height ?? 0) - 1);
    }
    await page.context().close();
  });
});

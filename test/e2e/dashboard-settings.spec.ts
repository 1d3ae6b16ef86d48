import type { Page } from 'playwright-core';
import { dashboardScene, describeInBrowser, type DashboardScene } from '../support/dashboard-scene.js';

const DIALOGS = ['Edit shop…', 'Edit contact…', 'Edit mails…', 'Add payment method…', 'Edit…: paylark'];
const MORE_DIALOGS = ['Remove…: paylark', 'Edit taxes and shipping…', 'Edit screening…'];

interface Settings {
  readonly name: string;
  readonly theme: object;
  readonly payment_settings: { readonly methods: readonly { readonly methodId: string }[] };
  readonly [name: string]: unknown;
}

describeInBrowser('the settings in the dashboard', () => {
  let scene: DashboardScene;
  let headers: { authorization: string };

  beforeAll(async () => {
    scene = await dashboardScene();
    headers = { authorization: `Bearer ${await scene.api.store.createKey('live', 'read,settings')}` };
  });
  afterAll(() => scene?.stop());

  const settings = async () =>
    (await scene.api.inject({ url: '/v1/settings', headers })).json<{ data: Settings }>().data;
  const patch = (payload: object) => scene.api.inject({ method: 'PATCH', url: '/v1/settings', headers, payload });
  const openDialog = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator('dialog[open]').waitFor();
  };
  const save = async (page: Page, name = 'Save') => {
    await page.locator('dialog').getByRole('button', { name, exact: true }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  };

  it.each([
    { viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
    { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
    { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  ] as const)('have no fault that axe finds, with their dialogs, %o', async (options) => {
    const { page, open, faults, trouble } = await scene.desk('manager', options);
    await open('#/settings');
    expect(await faults()).toEqual([]);
    for (const name of [...DIALOGS, ...MORE_DIALOGS]) {
      await openDialog(page, name);
      expect([name, await faults()]).toEqual([name, []]);
      await page.keyboard.press('Escape');
    }
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('change by the fields of their dialogs, and keep what has no field', async () => {
    const before = await settings();
    const { page, open } = await scene.desk('owner');
    await open('#/settings');

    await openDialog(page, 'Edit shop…');
    await page.getByLabel('Name', { exact: true }).fill('Larkmoor of Maine');
    await page.getByLabel('Time zone').fill('America/New_York');
    await save(page);
    await page.locator('.store', { hasText: 'Larkmoor of Maine' }).waitFor();
    await openDialog(page, 'Edit contact…');
    await page.getByLabel('Phone').fill('+1 207 555 0111');
    await save(page);
    await openDialog(page, 'Edit mails…');
    await page.getByLabel('refund').uncheck();
    await save(page);
    await openDialog(page, 'Edit taxes and shipping…');
    await page.getByLabel('Prices and shipping include tax').check();
    await page.getByLabel('Tax rates').fill('US; Sales tax; 5,5\nus; Books; 0; textbooks');
    await page.getByLabel('Shipping (USD)').fill('4.90');
    await save(page);
    await openDialog(page, 'Edit screening…');
    await page.getByLabel('Blocked emails').fill('a@example.com\nb@example.com');
    await page.getByLabel('Orders per hour of one email').fill('no limit');
    await page.getByLabel('Orders per hour of one phone').fill('7');
    await save(page);

    expect(await settings()).toEqual({
      ...before,
      name: 'Larkmoor of Maine',
      time_zone: 'America/New_York',
      contact: { ...(before['contact'] as object), phone: '+1 207 555 0111' },
      ecommerce_settings: {
        ...(before['ecommerce_settings'] as object),
        notifications: { shipment: true, cancellation: true, refund: false },
      },
      charge_settings: {
        prices_include_tax: true,
        rates: [
          { country: 'US', name: 'Sales tax', rate: 5.5 },
          { country: 'US', name: 'Books', rate: 0, category: 'textbooks' },
        ],
        shipping: { amount: 490 },
      },
      fraud_settings: {
        ...(before['fraud_settings'] as object),
        blocked_emails: ['a@example.com', 'b@example.com'],
        review_orders_per_email: null,
        review_orders_per_phone: 7,
      },
    });
    await page.context().close();
  });

  it('take credentials, never show them, and remove a payment method', async () => {
    const { page, open } = await scene.desk('owner');
    await open('#/settings');

    await openDialog(page, 'Add payment method…');
    await page.locator('dialog').getByLabel('Method', { exact: true }).fill('stripe');
    await page.getByLabel('New credentials').fill('secret_key');
    await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    expect(await page.getByRole('alert').textContent()).toBe('Line 1 of the credentials is not like name=value.');
    await page.getByLabel('New credentials').fill('secret_key=canary-of-stripe\npublic_key = p=1');
    await save(page);
    await page.getByText('enabled · credentials stored').waitFor();
    await openDialog(page, 'Edit…: stripe');
    expect(await page.getByLabel('New credentials').inputValue()).toBe('');
    await page.getByLabel('Customers can choose it').uncheck();
    await save(page);
    await openDialog(page, 'Remove…: paylark');
    await save(page, 'Remove');

    expect((await settings()).payment_settings.methods).toEqual([
      { methodId: 'cod', enabled: true },
      { methodId: 'offline', enabled: true },
      { methodId: 'stripe', enabled: false, isSandbox: false, credentials: 'set' },
    ]);
    expect(await page.content()).not.toContain('canary');
    await page.context().close();
  });

  it('are not saved over what another person has changed since the dialog opened', async () => {
    const { page, open } = await scene.desk('manager');
    await open('#/settings');
    await openDialog(page, 'Edit contact…');
    await page.getByLabel('Address').fill('1 Main Street');
    expect((await patch({ contact: { email: 'new@example.com' } })).statusCode).toBe(200);

    await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click();

    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/contact changed since you read the settings/);
    expect(await page.getByLabel('Address').inputValue()).toBe('1 Main Street');
    expect((await settings())['contact']).toEqual({ email: 'new@example.com' });
    await page.context().close();
  });

  it('are not open to a role without them', async () => {
    const { page, open } = await scene.desk('developer');
    await open('#/settings');

    await page.getByRole('heading', { name: 'Not permitted' }).waitFor();
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await page.context().close();
  });
});

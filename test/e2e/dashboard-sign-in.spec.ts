import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { commandLine } from '../support/command-line.js';
import { dashboardScene, describeInBrowser, type DashboardScene, type Desk } from '../support/dashboard-scene.js';
import { serverPort } from '../support/free-port.js';
import { CLIENT, LyingProvider } from '../support/lying-provider.js';

describeInBrowser('sign-in to the dashboard', () => {
  let scene: DashboardScene;
  let provider: LyingProvider;
  const { cli } = commandLine(() => scene.api.database);

  beforeAll(async () => {
    provider = await LyingProvider.start();
    const client = { OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
    const PUBLIC_URL = `http://127.0.0.1:${await serverPort()}`;
    scene = await dashboardScene({ PUBLIC_URL, OIDC_ISSUER: provider.issuer, ...client });
  });
  afterAll(async () => {
    await scene?.stop();
    await provider.stop();
  });

  async function askForCode({ page }: Desk, email: string): Promise<string> {
    await page.getByLabel('Email').fill(email);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code').waitFor();
    return scene.mailedCode(email);
  }

  it('takes the mailed code, after a wrong one, and opens the page that was asked for, until the person signs out', async () => {
    const { email } = await scene.api.store.session('manager');
    const desk = await scene.desk();
    const { page, open, faults, trouble } = desk;
    await open('#/orders?queue=all');
    expect(await faults()).toEqual([]);
    const code = await askForCode(desk, email);
    await page.getByLabel('Code').fill('0000-0000');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alert').textContent()).toMatch(/try again, or request a new one/);
    expect(await faults()).toEqual([]);
    await page.getByLabel('Code').fill(code.toLowerCase());
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByText('Signed in again.').count()).toBe(0);
    const before = await page.context().cookies();
    expect(before.map(({ name }) => name)).toEqual(['store-live', 'store-test']);
    await page.locator('.person summary').press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.context().addCookies(before);
    await open('#/orders');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it('shows whom a link signs in, lets the person choose the store, and says that a used one is used', async () => {
    const { email, name } = await scene.api.store.session('manager');
    const other = await StoreFixture.create(scene.api.database);
    await other.row('people', { id: uuidv7(), email, name, role: 'viewer', invite_due: false });
    await scene.api.database.query(`UPDATE stores SET name = 'The other' WHERE id = $1`, [other.id]);
    const { json } = await cli(['people', 'sign-in', email]);
    const address = (json as { link: string }).link.replace(/.*(?=#)/, '');
    const { page, open, faults, trouble } = await scene.desk();
    await open(address);
    expect(await faults()).toEqual([]);
    await page.getByRole('button', { name: `Sign in as ${name}` }).press('Enter');
    await page.getByRole('heading', { name: 'Choose a store' }).waitFor();
    expect(await faults()).toEqual([]);
    await page.getByLabel('The other').check();
    await page.getByRole('button', { name: 'Open store' }).press('Enter');

    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.locator('.store').textContent()).toBe('The other');
    expect(page.url()).toBe(`${scene.origin}/dashboard/#/`);
    await open(address);
    await page.reload();
    expect(await page.getByRole('alert').textContent()).toMatch(/already used/);
    await page.getByRole('link', { name: 'Sign in another way' }).press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(trouble).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['signs in a person whom it knows', (email: string) => ({ claims: { sub: email, email } }), /^Sign in as /],
    [
      'says that no store knows the person',
      () => ({ claims: { sub: 'x', email: 'x@example.com' } }),
      'is not on the team of any store',
    ],
    ['says that it refused', () => ({ claims: { email_verified: false } }), 'with your organisation failed'],
    [
      'says that it does not answer',
      () => ({ answers: { '/token': (response: { destroy(): unknown }) => response.destroy() } }),
      'does not respond',
    ],
  ])('at an identity provider %s', async (_what, liesOf, expected) => {
    const { email } = await scene.api.store.session('support');
    const { page, open, faults } = await scene.desk();
    await open('#/orders');
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().startsWith(`${provider.issuer}/authorize`)),
      page.getByRole('link', { name: 'Sign in with your organisation' }).press('Enter'),
    ]);
    provider.lies = liesOf(email);
    const back = provider.signIn(request.url()).toString();
    await page.goto(`${scene.origin}/dashboard/oidc/callback?${back}`);

    if (typeof expected === 'string') {
      await page.getByText(expected).waitFor();
      expect(await faults()).toEqual([]);
      await page.getByRole('link', { name: 'Sign in with your organisation' }).waitFor();
    } else {
      await page.getByRole('button', { name: expected }).press('Enter');
      await page.getByRole('heading', { name: 'Home' }).waitFor();
    }
    await page.context().close();
  });

  it('goes on over the open page when the session was ended, and the filled form is sent', async () => {
    const { receipt_number } = await scene.api.place({
      items: [{ product_id: scene.product, quantity: 1 }],
      customer: { name: 'Ada Lovelace' },
    });
    const { email, id } = await scene.api.store.session('manager');
    const desk = await scene.desk();
    const { page, open } = desk;
    await open(`#/orders/${receipt_number}`);
    await page.getByLabel('Code').fill(await askForCode(desk, email));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add note…' }).press('Enter');
    await page.getByRole('textbox', { name: 'Note' }).fill('Half a sentence');
    await scene.api.database.query('DELETE FROM api_keys WHERE person_id = $1', [id]);
    await page.getByRole('button', { name: 'Add note', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await desk.faults()).toEqual([]);
    await page.getByRole('button', { name: 'Email me a code' }).press('Enter');
    await page.getByLabel('Code').waitFor();
    await page.getByLabel('Code').fill(await scene.mailedCode(email, 2));
    await page.keyboard.press('Enter');

    await page.getByText('Signed in again.').waitFor();
    await page.getByRole('button', { name: 'Add note', exact: true }).press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Half a sentence' }).waitFor();
    await page.context().close();
  });
});

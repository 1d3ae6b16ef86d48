import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const BROWSER = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const describeInBrowser = BROWSER ? describe : describe.skip;

if (!BROWSER) process.stderr.write('The documentation page is not tested: no Chromium here; name one with CHROMIUM.\n');

describeInBrowser('the documentation page in a browser', () => {
  let api: RunningApi;
  let origin: string;
  let browser: Browser;
  let product: number;

  beforeAll(async () => {
    api = await startApi();
    origin = `http://127.0.0.1:${await listen(api.app)}`;
    product = await api.store.product({ name: 'Runner', stock: 3 });
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  /** The page, with its console errors and its requests to other hosts. */
  async function open(viewport = DESKTOP): Promise<{ page: Page; trouble: string[] }> {
    const page = await browser.newPage({ viewport });
    const trouble: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
    });
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !url.startsWith('data:')) trouble.push(`asked for ${url}`);
    });
    await page.goto(`${origin}/docs`);
    await page.locator('#operations-Orders-createOrder').waitFor();
    return { page, trouble };
  }

  /** Enters the store's key, requests the products and returns the answer that the page shows. */
  async function tryProducts(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').fill(api.store.key);
    await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    const operation = page.locator('#operations-Products-listProducts');
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    return operation.locator('.live-responses-table tbody .response-col_description').innerText();
  }

  it.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])(
    'makes a call with a key on %s, without console errors, requests to other hosts or horizontal scrolling',
    async (name, size) => {
      const { page, trouble } = await open(size);
      const shot = (step: string) =>
        process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/${name} ${step}.png` }) : undefined;
      await shot('first');

      const answer = await tryProducts(page);

      await shot('tried');
      expect(answer).toContain(`"id": "${product}"`);
      expect(trouble).toEqual([]);
      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
      expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
      await page.close();
    },
  );

  it.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('shows the first operation and a link to the guide on %s without scrolling', async (_name, size) => {
    const { page } = await open(size);

    for (const place of [
      page.locator('.opblock').first(),
      page.getByRole('link', { name: 'Integration guide' }).first(),
    ]) {
      const box = await place.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
    }
    await page.getByRole('link', { name: 'Integration guide' }).first().click();
    expect(await page.locator('h1').innerText()).toBe('Integration guide');
    const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, window.innerWidth]');
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await page.close();
  });

  it('shows the summary of each operation on a phone, and names every field of an open one', async () => {
    const { page } = await open(PHONE);
    const operation = page.locator('#operations-Products-listProducts');
    expect(await operation.getByText('Active products, newest first').isVisible()).toBe(true);

    await operation.locator('.opblock-summary').click();
    await operation.locator('.responses-table').waitFor();

    const selects = operation.getByRole('combobox');
    expect(await selects.count()).toBeGreaterThan(9);
    expect(await selects.and(page.locator(':not([aria-label])')).count()).toBe(0);
    expect(await operation.getByRole('combobox', { name: 'in_stock' }).count()).toBe(1);
    await page.close();
  });

  it('keeps the key in memory only', async () => {
    const { page } = await open();
    await tryProducts(page);

    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).not.toContain(api.store.key);
    await page.reload();
    await page.locator('#operations-Orders-createOrder').waitFor();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await page.locator('.auth-container input').inputValue()).toBe('');
    await page.close();
  });

  it('starts a call with its optional parameters empty', async () => {
    const { page } = await open();
    const operation = page.locator('#operations-Orders-createOrder');
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();

    expect(await operation.getByPlaceholder('Idempotency-Key').inputValue()).toBe('');
    await page.close();
  });
});

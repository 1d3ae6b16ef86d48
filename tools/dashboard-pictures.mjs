import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

// This program makes the pictures of docs/pictures from the demo store. It is run by hand, after `npm run build`:
// CHROMIUM=/usr/bin/chromium node tools/dashboard-pictures.mjs

const DESKTOP = { viewport: { width: 1200, height: 760 }, colorScheme: 'light' };
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'light' };
const ORDER = async (page) => {
  await page.locator('tbody a').first().press('Enter');
  await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first().waitFor();
};
const PICTURES = [
  { name: 'home', address: '#/', ...DESKTOP },
  { name: 'orders', address: '#/orders?queue=all', ...DESKTOP },
  { name: 'order', address: '#/orders', then: ORDER, ...DESKTOP },
  { name: 'developers', address: '#/developers', ...DESKTOP },
  { name: 'orders-dark', address: '#/orders?queue=all', ...DESKTOP, colorScheme: 'dark' },
  { name: 'order-phone', address: '#/orders', then: ORDER, ...PHONE },
];

const folder = path.resolve(import.meta.dirname, '../docs/pictures');
mkdirSync(folder, { recursive: true });
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'dashboard-pictures-'));
const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', DATA_DIR };
const api = spawn(process.execPath, ['dist/apps/api/src/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
let link;
for await (const chunk of api.stdout) {
  output += chunk;
  link = /http:\S+\/#\/enter\/\S+/.exec(output)?.[0];
  if (link) break;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const door = await browser.newPage();
await door.goto(link);
await door.getByRole('button', { name: /^Sign in as/ }).click();
await door.getByRole('heading', { name: 'Home' }).waitFor();
const storageState = await door.context().storageState();
for (const { name, address, then, ...options } of PICTURES) {
  const page = await browser.newPage({ ...options, storageState });
  await page.goto(`${new URL('.', link).href}${address}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('[data-row]:visible').first().waitFor();
  await then?.(page);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
api.kill();
rmSync(DATA_DIR, { recursive: true, force: true });

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  CatalogPricing,
  Unavailable,
  UndeliverableMessage,
  type OrderRecord,
  type StoreProfile,
} from 'store-commerce/application';
import { extension } from './extension.js';
import { PriceListPricing } from './price-list-pricing.js';
import { isPublicAddress } from './public-addresses.js';
import { WebhookNotifier } from './webhook-notifier.js';

const order = { id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', receiptNumber: 'WEB-1' } as OrderRecord;
const store = { subdomain: 'acme' } as StoreProfile;

describe('the webhook', () => {
  const requests: string[] = [];
  let status = 200;
  let body = '';
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(status, { location: '/elsewhere' }).write(body);
    if (body === '') response.end();
  });
  let url: string;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}/orders`;
  });
  after(() => void server.close());
  beforeEach(() => {
    requests.length = 0;
    body = '';
  });

  const notify = (webhook = new WebhookNotifier(url, 'secret', () => true)) =>
    webhook.notify('notify-merchant', order, store);

  for (const failure of [503, 429, 404]) {
    it(`asks for a retry after the status ${failure}`, async () => {
      status = failure;

      await assert.rejects(notify(), { code: `HTTP_${failure}` });
    });
  }

  for (const refusal of [400, 410]) {
    it(`gives up after the status ${refusal}`, async () => {
      status = refusal;

      await assert.rejects(notify(), UndeliverableMessage);
    });
  }

  it('follows no redirect', async () => {
    status = 307;

    await assert.rejects(notify(), { code: 'HTTP_307' });
    assert.deepEqual(requests, ['POST /orders']);
  });

  it('does not wait for an answer that never ends', async () => {
    status = 200;
    body = 'more';

    await notify();
  });

  it('sends nothing to a name that leads to a private address', async () => {
    await assert.rejects(notify(new WebhookNotifier(url, 'secret')), { code: 'EPRIVATE' });
    assert.deepEqual(requests, []);
  });

  for (const address of ['http://127.0.0.1/', 'http://2130706433/', 'http://[::1]/', 'http://[::ffff:10.0.0.1]/']) {
    it(`refuses the address in ${address}`, () => {
      assert.throws(() => new WebhookNotifier(address, 'secret'), /is not a public address/);
    });
  }

  for (const [address, expected] of [
    ['93.184.216.34', true],
    ['2606:2800:220:1::1', true],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['2002:7f00:1::', false],
  ] as const) {
    it(`knows whether ${address} is public: ${expected}`, () => {
      assert.equal(isPublicAddress(address), expected);
    });
  }
});

describe('the extension', () => {
  for (const [env, message] of [
    [{ ORDERS_WEBHOOK_URL: 'https://erp.example/orders' }, /ORDERS_WEBHOOK_SECRET is not set/],
    [{ ORDERS_WEBHOOK_URL: 'http://erp.example', ORDERS_WEBHOOK_SECRET: 's' }, /ORDERS_WEBHOOK_URL is not an https:/],
  ] as const) {
    it(`names the variable that is wrong: ${JSON.stringify(env)}`, () => {
      assert.throws(() => extension(env), message);
    });
  }

  it('refuses an order with 503 while the price list is away', async () => {
    class Catalog extends CatalogPricing {
      override price = () => Promise.resolve({ lines: [], unavailable: [] });
    }
    const pricing = new PriceListPricing(new Catalog(), { pricesOf: () => Promise.reject(new Error('away')) });

    await assert.rejects(pricing.price(1, 'USD', []), Unavailable);
  });
});

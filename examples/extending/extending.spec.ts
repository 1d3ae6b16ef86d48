import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anOrderRecord, aStoreProfile } from '../../test/builders/order-record.js';
import { extension } from './extension.js';
import { PriceListPricing } from './price-list-pricing.js';
import { isPublicAddress } from './public-addresses.js';
import { WebhookNotifier } from './webhook-notifier.js';
import { CatalogPricing, Unavailable, UndeliverableMessage } from 'store-commerce/application';

const order = anOrderRecord();
const store = aStoreProfile();

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

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://localhost:${(server.address() as AddressInfo).port}/orders`;
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    requests.length = 0;
    body = '';
  });

  const notify = (webhook = new WebhookNotifier(url, 'secret', () => true)) =>
    webhook.notify('notify-merchant', order, store);

  it.each([503, 429, 404])('asks for a retry after the status %i', async (failure) => {
    status = failure;

    await expect(notify()).rejects.toMatchObject({ code: `HTTP_${failure}` });
  });

  it.each([400, 410])('gives up after the status %i', async (refusal) => {
    status = refusal;

    await expect(notify()).rejects.toBeInstanceOf(UndeliverableMessage);
  });

  it('follows no redirect', async () => {
    status = 307;

    await expect(notify()).rejects.toMatchObject({ code: 'HTTP_307' });
    expect(requests).toEqual(['POST /orders']);
  });

  it('does not wait for an answer that never ends', async () => {
    status = 200;
    body = 'more';

    await expect(notify()).resolves.toBeUndefined();
  });

  it('sends nothing to a name that leads to a private address', async () => {
    await expect(notify(new WebhookNotifier(url, 'secret'))).rejects.toMatchObject({ code: 'EPRIVATE' });
    expect(requests).toEqual([]);
  });

  it.each(['http://127.0.0.1/', 'http://2130706433/', 'http://[::1]/', 'http://[::ffff:10.0.0.1]/'])(
    'refuses the address in %s',
    (address) => {
      expect(() => new WebhookNotifier(address, 'secret')).toThrow('is not a public address');
    },
  );

  it.each([
    ['93.184.216.34', true],
    ['2606:2800:220:1::1', true],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['2002:7f00:1::', false],
  ])('knows whether %s is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe('the extension', () => {
  it.each([
    [{ ORDERS_WEBHOOK_URL: 'https://erp.example/orders' }, 'ORDERS_WEBHOOK_SECRET is not set'],
    [{ ORDERS_WEBHOOK_URL: 'http://erp.example', ORDERS_WEBHOOK_SECRET: 's' }, 'ORDERS_WEBHOOK_URL is not an https:'],
  ])('names the variable that is wrong: %j', (env, message) => {
    expect(() => extension(env)).toThrow(message);
  });

  it('refuses an order with 503 while the price list is away', async () => {
    class Catalog extends CatalogPricing {
      override price = () => Promise.resolve({ lines: [], unavailable: [] });
    }
    const pricing = new PriceListPricing(new Catalog(), { pricesOf: () => Promise.reject(new Error('away')) });

    await expect(pricing.price(1, 'USD', [])).rejects.toBeInstanceOf(Unavailable);
  });
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  CatalogPricing,
  Unavailable,
  UndeliverableMessage,
  type OrderRecord,
  type PricedCustomer,
  type PriceRequest,
  type StoreProfile,
} from 'store-commerce/application';
import { Money, orderLineOf, wholeAddress, type ChargeableOrder, type OrderLine } from 'store-commerce/domain';
import { ChatNotifier } from './chat-notifier.js';
import { extension } from './extension.js';
import { isSigned } from './payments/signature.js';
import { readPriceList } from './price-list.js';
import { PriceListPricing } from './price-list-pricing.js';
import { ShippingAndVat } from './shipping-and-vat.js';

const order = { id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', receiptNumber: 'WEB-1' } as OrderRecord;
const store = { subdomain: 'acme' } as StoreProfile;

describe('the chat', () => {
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

  const notify = () => new ChatNotifier(url).notify('notify-merchant', order, store);

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
});

describe('the charges', () => {
  const chargesOf = (minor: number, country: string) =>
    new ShippingAndVat(5_000).chargesOf(1, {
      lines: [{ total: Money.ofMinor(minor, 'EUR') } as OrderLine],
      subtotal: Money.ofMinor(minor, 'EUR'),
      address: wholeAddress({ country }),
    } as unknown as ChargeableOrder);

  for (const [minor, country, shipping, tax] of [
    [4_999, 'DE', [490, 78], 798],
    [5_000, 'DE', [0], 798],
    [5_000, 'US', [0], undefined],
    [5_003, 'AT', [0], 834], // the exact amount is 833.83…
    [5_001, 'AT', [0], 834], // the exact amount is 833.5
    [4_999_999_999_999_999, 'DE', [0], 798_319_327_731_092],
  ] as const) {
    it(`of ${minor} to ${country} are ${shipping[0]} for shipping, and include ${tax ?? 'no'} VAT`, async () => {
      const { isTaxIncluded, lines, ...charges } = await chargesOf(minor, country);

      assert.equal(isTaxIncluded, true);
      assert.deepEqual([charges.shipping, ...charges.shippingTax.map(({ amount }) => amount)], shipping);
      assert.equal(lines[0]?.tax[0]?.amount, tax);
    });
  }
});

describe('the signature of an event', () => {
  const SECRET = 'whsec_0123456789abcdef';
  const BODY = Buffer.from('{ "order" : "WEB-1",\n"name":"Zoë" }');
  const SECONDS = 1_764_489_600;
  const v1 = (body = BODY, secret = SECRET) =>
    `v1=${createHmac('sha256', secret).update(`${SECONDS}.`).update(body).digest('hex')}`;

  for (const [what, header, now, expected] of [
    ['of the body and the time', `t=${SECONDS},${v1()}`, SECONDS, true],
    ['after one of another secret', `t=${SECONDS}, ${v1(BODY, 'other')}, ${v1()}`, SECONDS + 300, true],
    ['of a clock that is 5 minutes ahead', `t=${SECONDS},${v1()}`, SECONDS - 300, true],
    ['of more than 5 minutes ago', `t=${SECONDS},${v1()}`, SECONDS + 301, false],
    ['of another time', `t=${SECONDS + 1},${v1()}`, SECONDS, false],
    ['of another body', `t=${SECONDS},${v1(Buffer.from('{}'))}`, SECONDS, false],
    ['of another secret', `t=${SECONDS},${v1(BODY, 'other')}`, SECONDS, false],
    ['cut short', `t=${SECONDS},${v1().slice(0, -2)}`, SECONDS, false],
    ['with two times', `t=${SECONDS},t=${SECONDS},${v1()}`, SECONDS, false],
    ['without a time', v1(), SECONDS, false],
    ['of another scheme', `t=${SECONDS},${v1().replace('v1', 'v0')}`, SECONDS, false],
    ['that is missing', '', SECONDS, false],
  ] as const) {
    it(`${what} is ${expected ? 'accepted' : 'refused'}`, () => {
      assert.equal(isSigned(BODY, header, SECRET, now), expected);
    });
  }
});

const request = (customer: PricedCustomer): PriceRequest => {
  return { storeId: 1, currency: 'USD', lines: [], customer, channel: 'WEBSITE', at: new Date() };
};

describe('the extension', () => {
  it('names the variable that is wrong', () => {
    assert.throws(() => extension({ ORDERS_CHAT_URL: 'chat.example' }), /ORDERS_CHAT_URL is not a URL/);
    assert.throws(
      () => extension({ FREE_SHIPPING_FROM: '50.00' }),
      /FREE_SHIPPING_FROM is not an amount in minor units/,
    );
    assert.throws(() => extension({ PAYMENT_SECRETS: '1=short' }), /PAYMENT_SECRETS is not STORE=SECRET/);
  });

  it('has the route of the payment provider with its secrets only', () => {
    const modulesOf = (env: Record<string, string>) => extension(env).modules?.length;

    assert.deepEqual(
      [modulesOf({}), modulesOf({ PAYMENT_SECRETS: `1=${'a'.repeat(16)},2=${'b'.repeat(16)}` })],
      [1, 2],
    );
  });

  it('refuses an order with 503 while the price list is away', async () => {
    class Catalog extends CatalogPricing {
      override price = () => Promise.resolve({ lines: [], unavailable: [] });
    }
    const pricing = new PriceListPricing(new Catalog(), { pricesOf: () => Promise.reject(new Error('away')) });

    await assert.rejects(pricing.price(request({ id: null, email: '' })), Unavailable);
  });

  it('has the price of the customer before that of everyone, by id or e-mail', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'prices-')), 'prices.csv');
    writeFileSync(file, 'MUG,8.50\nMUG,7.00,Ada@Example.com\nMUG,6.00,0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c\n');
    const unitPrice = Money.ofMinor(1_099, 'USD');
    const mug = { productId: 1, variantId: null, sku: 'MUG', name: 'Mug', attributes: {}, unitPrice, quantity: 1 };
    class Catalog extends CatalogPricing {
      override price = () => Promise.resolve({ lines: [orderLineOf(mug)], unavailable: [] });
    }
    const pricing = new PriceListPricing(new Catalog(), readPriceList(file));
    const priceFor = async (id: string | null, email: string) => {
      const { lines } = await pricing.price(request({ id, email }));
      return lines[0]?.unitPrice.minor;
    };

    assert.equal(await priceFor(null, ''), 850);
    assert.equal(await priceFor(null, 'ada@example.com'), 700);
    assert.equal(await priceFor('0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c', 'ada@example.com'), 600);
  });
});

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { CatalogPricing, UndeliverableMessage } from '@app/application';
import { DEFAULT_FRAUD_SETTINGS, Money, NO_FACTS, OrderLine, type FraudSignals } from '@app/domain';
import { anOrderRecord, aStoreProfile } from '../../test/builders/order-record.js';
import { InMemoryNotifier } from '../../test/support/in-memory/in-memory-notifier.js';
import { forwardedParcel } from './forwarded-parcel.js';
import { PriceListPricing } from './price-list-pricing.js';
import { Channels, WebhookNotifier } from './webhook-notifier.js';

describe('a fraud rule', () => {
  const signals = (zip: string): FraudSignals => ({
    email: 'ada@example.com',
    phone: '',
    address: { address: '1 Main Street', city: 'Portland', zip },
    total: 100,
    quantities: [1],
  });

  it.each([
    ['97230', true],
    ['04101', false],
  ])('for the postal code %s of the screened order, the rule fires: %s', (zip, fires) => {
    expect(forwardedParcel.fires({ signals: signals(zip), settings: DEFAULT_FRAUD_SETTINGS, facts: NO_FACTS })).toBe(
      fires,
    );
  });
});

describe('a notification channel', () => {
  const order = anOrderRecord();
  const store = aStoreProfile();
  const received: { key: unknown; body: unknown }[] = [];
  let status = 200;
  const server = createServer((request: IncomingMessage, response) => {
    void json(request).then((body) => {
      received.push({ key: request.headers['idempotency-key'], body });
      response.writeHead(status).end();
    });
  });
  let webhook: WebhookNotifier;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    webhook = new WebhookNotifier(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => void server.close());
  beforeEach(() => {
    status = 200;
    received.length = 0;
  });

  it('posts an order with an id that stays the same on a retry', async () => {
    await webhook.notify('notify-merchant', order, store);

    const body = { stage: 'notify-merchant', store: 'acme', order: order.id, receipt: order.receiptNumber };
    expect(received).toEqual([{ key: `${order.id}-notify-merchant`, body }]);
  });

  it('asks for a retry when the receiver fails', async () => {
    status = 503;

    await expect(webhook.notify('notify-merchant', order, store)).rejects.toMatchObject({ code: 'HTTP_503' });
  });

  it('gives up when the receiver rejects the message itself', async () => {
    status = 400;

    await expect(webhook.notify('notify-merchant', order, store)).rejects.toBeInstanceOf(UndeliverableMessage);
  });

  it('works beside mail', async () => {
    const mail = new InMemoryNotifier();

    await new Channels([mail, webhook]).notify('notify-customer', order, store);

    expect([mail.messages.length, received.length]).toEqual([1, 1]);
  });

  it('does not notify a channel again when only another channel failed', async () => {
    const mail = new InMemoryNotifier();
    const channels = new Channels([mail, webhook]);
    status = 503;
    const first = channels.notify('notify-customer', order, store);
    await expect(first).rejects.toMatchObject({ code: 'HTTP_503' });
    status = 200;

    await channels.notify('notify-customer', order, store);

    expect([mail.messages.length, received.length]).toEqual([1, 2]);
  });
});

describe('another price authority', () => {
  class Catalog extends CatalogPricing {
    override price(): Promise<OrderLine[]> {
      const line = (productId: number, sku: string) =>
        new OrderLine({
          productId,
          variantId: null,
          sku,
          name: sku,
          attributes: {},
          unitPrice: Money.ofMinor(1000, 'USD'),
          quantity: 2,
        });
      return Promise.resolve([line(1, 'MUG'), line(2, 'CUP')]);
    }
  }

  it('uses the price list, and the catalog for products that it does not contain', async () => {
    const erp = { pricesOf: () => Promise.resolve(new Map([['MUG', '8.50']])) };

    const lines = await new PriceListPricing(new Catalog(), erp).price(1, 'USD', []);

    expect(lines.map(({ sku, total }) => [sku, total.minor])).toEqual([
      ['MUG', 1700],
      ['CUP', 2000],
    ]);
  });
});

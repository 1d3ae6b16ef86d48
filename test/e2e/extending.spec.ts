import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CatalogPricing,
  FraudScreening,
  Notifier,
  OrderCharges,
  StageRetries,
  type PriceRequest,
  type NotificationStage,
  type OrderKey,
  type OrderRecord,
  type PricedItems,
  type StoreProfile,
} from '@app/application';
import {
  Money,
  NO_CHARGES,
  wholeAddress,
  type ChargeableOrder,
  type Charges,
  type Currency,
  type OrderLine,
  type Tax,
} from '@app/domain';
import {
  JsonLogger,
  migrate,
  HealthConnection,
  LiveCatalogPricing,
  ServiceMetrics,
  type Extension,
  type OwnMigrations,
} from '@app/infrastructure';
import {
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  Module,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadModule } from 'libpg-query';
import { ChatNotifier } from '../../examples/extending/src/chat-notifier.js';
import { extension } from '../../examples/extending/src/extension.js';
import { LoyaltySuspended } from '../../examples/extending/src/loyalty/loyalty-accounts.js';
import { ApiFailures, AuthenticationError } from '../../apps/api/src/public.js';
import { WorkerModule } from '../../apps/worker/src/worker.module.js';
import { anOrderBody } from '../builders/order-body.js';
import { anOrderRecord, aStoreProfile } from '../builders/order-record.js';
import { eventually } from '../support/eventually.js';
import { FraudScene } from '../support/fraud-scene.js';
import { faultsOfMigration } from '../support/migration-rules.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase } from '../support/test-database.js';

class Closed implements CanActivate {
  canActivate = () => false;
}

@Controller('v1/team')
class TeamController {
  @Get('closed')
  @UseGuards(Closed)
  closed(): void {}

  @Get('conflict')
  @ApiFailures(new ConflictException('Taken'), new AuthenticationError('store_inactive'))
  @ApiFailures(new ForbiddenException('Not yours'))
  conflict(): never {
    throw new ConflictException('Taken');
  }
}

@Module({ controllers: [TeamController] })
class TeamModule {}

class Recorder extends Notifier {
  constructor(
    private readonly channel: Notifier,
    private readonly told: string[],
  ) {
    super();
  }

  /** Replaces the answer of the channel. */
  instead: (() => unknown) | null = null;

  override notify(
    stage: NotificationStage,
    order: OrderRecord,
    store: StoreProfile,
    reference: string,
  ): Promise<boolean> {
    this.told.push(`${order.id} ${stage} ${reference}`);
    if (this.instead) return this.instead() as Promise<boolean>;
    return this.channel.notify(stage, order, store, reference);
  }
}

class Repriced extends CatalogPricing {
  /** Replaces the result of the prices. */
  static instead: ((priced: PricedItems, currency: Currency) => unknown) | null = null;

  constructor(private readonly pricing: CatalogPricing) {
    super();
  }

  override async price(request: PriceRequest): Promise<PricedItems> {
    const priced = await this.pricing.price(request);
    return Repriced.instead ? ((await Repriced.instead(priced, request.currency)) as PricedItems) : priced;
  }
}

class Replaced extends OrderCharges {
  /** Replaces the result of the charges. */
  instead: (() => unknown) | null = null;

  constructor(private readonly charges: OrderCharges) {
    super();
  }

  override chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges> {
    return this.instead ? (this.instead() as Promise<Charges>) : this.charges.chargesOf(storeId, order);
  }
}

const thrown = (reason: unknown) => (): never => {
  throw reason;
};
const rejected = (reason: unknown) => () => Promise.resolve().then(thrown(reason));

const costed =
  (currency: Currency) =>
  ({ lines }: PricedItems): PricedItems => ({
    lines: lines.map((line): OrderLine => {
      return { ...line, unitPrice: Money.ofMinor(100, currency), total: Money.ofMinor(100, currency) };
    }),
    unavailable: [],
  });

describe('an application that extends the service', () => {
  const log: string[] = [];
  const received: string[] = [];
  const told: string[] = [];
  let status = 200;
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(body);
      response.writeHead(status).end();
    });
  });
  const PRICE_LIST = path.join(os.tmpdir(), `store-commerce-prices-${process.pid}.csv`);
  const own = extension({ PRICE_LIST, FREE_SHIPPING_FROM: '2000' });
  const charges = new Replaced((own.charges as { readonly useValue: OrderCharges }).useValue);
  /** What a rule of the team does; null means that it does not match. */
  let rule: (() => boolean) | null = null;
  let chat: Recorder;
  let extended: Extension;
  const migrations = own.migrations as OwnMigrations;
  let smtp: SmtpSink;
  let api: RunningApi;

  beforeAll(async () => {
    writeFileSync(PRICE_LIST, 'MUG,8.50\n');
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    smtp = await SmtpSink.start();
    const url = `http://localhost:${(receiver.address() as AddressInfo).port}`;
    chat = new Recorder(new ChatNotifier(url), told);
    const pricing = own.pricing as { readonly useFactory: (catalog: LiveCatalogPricing) => CatalogPricing };
    extended = {
      ...own,
      fraudRules: [...(own.fraudRules ?? []), { name: 'team_rule', score: 30, fires: () => rule?.() ?? false }],
      modules: [...(own.modules ?? []), TeamModule],
      channels: { chat: { useValue: chat } },
      pricing: {
        useFactory: (catalog: LiveCatalogPricing) => new Repriced(pricing.useFactory(catalog)),
        inject: [LiveCatalogPricing],
      },
      charges: { useValue: charges },
    };
    const database = await createTestDatabase();
    await migrate(database.url, undefined, [migrations]);
    const env = { PIPELINE: 'inline', SMTP_URL: smtp.url };
    api = await startApi(env, log, database, extended);
    await api.database.query('UPDATE stores SET contact = $1', [{ email: 'merchant@example.com' }]);
  });
  afterAll(async () => {
    await api.stop();
    await smtp.close();
    receiver.close();
    rmSync(PRICE_LIST);
  });
  beforeEach(() => {
    status = 200;
  });
  const codeOf = ({ statusCode, headers }: Awaited<ReturnType<typeof api.post>>) => [
    statusCode,
    headers['x-error-code'],
  ];
  const written = async () =>
    (
      await api.database.query(
        'SELECT order_id FROM order_lines UNION ALL SELECT order_id FROM fraud_assessments UNION ALL SELECT id FROM orders',
      )
    ).length;

  async function place(): Promise<OrderKey> {
    const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
    const { order_id: orderId } = await api.place(anOrderBody(mug, 2));
    return { storeId: api.store.id, orderId };
  }
  const stageOf = async ({ orderId }: OrderKey) => {
    const [stage] = await api.database.query<{ state: string; last_error: string; notified: string[] }>(
      `SELECT state, last_error, notified FROM order_stages WHERE order_id = $1 AND stage = 'notify-merchant'`,
      [orderId],
    );
    return stage;
  };
  const receivedOf = ({ orderId }: OrderKey) => received.filter((body) => body.includes(orderId));
  const mailsOf = ({ orderId }: OrderKey) =>
    smtp.mails.filter(({ raw }) => raw.includes(`${orderId}-notify-merchant`)).length;

  describe('adds a route that', () => {
    const account = async (values: Record<string, unknown>) => {
      const customer = await api.store.customer({});
      await api.database.query('INSERT INTO loyalty.accounts VALUES ($1, $2, $3, $4)', [
        api.store.id,
        customer,
        values['points'] ?? 0,
        values['is_suspended'] ?? false,
      ]);
      return customer;
    };

    const setPoints = (url: string, points: unknown) =>
      api.inject({ method: 'PUT', url, headers: { authorization: `Bearer ${api.store.key}` }, payload: { points } });

    it('answers in the envelope, and appears in the request log', async () => {
      const response = await api.get(`/v1/loyalty/${await account({ points: 120 })}`, { 'x-request-id': 'loyal-1' });

      expect(response.json()).toMatchObject({ success: true, data: { points: 120 } });
      expect(response.headers['x-request-id']).toBe('loyal-1');
      await eventually(() =>
        expect(log.map((line) => JSON.parse(line) as object)).toContainEqual(
          expect.objectContaining({ request_id: 'loyal-1', route: '/v1/loyalty/:customer', store_id: api.store.id }),
        ),
      );
    });

    it('answers with an error code of its own', async () => {
      const response = await setPoints(`/v1/loyalty/${await account({ is_suspended: true })}`, 1);

      expect([response.statusCode, response.headers['x-error-code']]).toEqual([422, 'loyalty_suspended']);
      expect(response.json()).toMatchObject({ success: false, error: 'The loyalty account is suspended' });
    });

    it('writes what a body says, and names its faults', async () => {
      const url = `/v1/loyalty/${await api.store.customer({})}`;
      const put = (points: unknown) => setPoints(url, points);

      expect((await put(70)).json()).toMatchObject({ success: true, data: { points: 70 } });
      expect((await put(80)).json()).toMatchObject({ data: { points: 80 } });
      expect((await put(-1)).json()).toMatchObject({
        success: false,
        error: 'points must be an integer from 0 to 1000000',
      });
      expect((await api.get(url)).json()).toMatchObject({ data: { points: 80 } });
    });

    it('filters its list by a query parameter', async () => {
      const suspended = await account({ is_suspended: true });
      const page = (await api.get('/v1/loyalty?suspended=true&limit=100')).json<{
        data: { customer_id: string; is_suspended: boolean }[];
        pagination: { total: number };
      }>();

      expect(page.data.map(({ customer_id }) => customer_id)).toContain(suspended);
      expect(page.data.every(({ is_suspended }) => is_suspended)).toBe(true);
      expect(page.pagination.total).toBe(page.data.length);
      await account({ points: 7777 });
      expect((await api.get('/v1/loyalty?min_points=7777')).json()).toMatchObject({ data: [{ points: 7777 }] });
      expect((await api.get('/v1/loyalty?suspended=maybe')).json()).toMatchObject({
        success: false,
        error: 'suspended must be true or false',
      });
    });

    it('documents its errors in their own words, with the codes of all its decorators', async () => {
      const { paths } = (await api.inject({ method: 'GET', url: '/openapi.json' })).json<{
        paths: Record<string, Record<string, { responses: Record<string, object> }>>;
      }>();
      const responses = paths['/v1/team/conflict']?.['get']?.responses;

      expect(responses?.['409']).toMatchObject({ description: 'Taken.' });
      expect(responses?.['403']).toMatchObject({
        headers: { 'X-Error-Code': { schema: { enum: ['forbidden', 'store_inactive'] } } },
      });
      expect(paths['/v1/loyalty/{customer}']?.['put']?.responses['422']).toMatchObject({
        description: 'The loyalty account is suspended.',
      });
    });

    it('is in the API document, after the routes of the service', async () => {
      const { paths, tags, components } = (await api.inject({ method: 'GET', url: '/openapi.json' })).json<{
        paths: Record<string, { get: { responses: object } }>;
        tags: { name: string }[];
        components: { schemas: object };
      }>();

      expect(Object.keys(paths['/v1/loyalty/{customer}']?.get.responses ?? {})).toEqual(
        expect.arrayContaining(['200', '401', '404', '429', '503']),
      );
      expect([tags.at(-1)?.name, Object.keys(components.schemas)]).toEqual([
        'Loyalty',
        expect.arrayContaining(['LoyaltyAccount']),
      ]);
    });
  });

  it('adds a fraud rule, whose score joins those of the service', async () => {
    const scene = await FraudScene.create(api);
    await scene.configure({ review_amount: 10_000 });
    const customer = { address: '1 Main Street', city: 'Portland', zip: '97230' };
    const accepted = { verdict: 'ACCEPT', score: 30, reasons: [{ rule: 'forwarded_parcel', score: 30 }] };

    expect(await scene.assess(customer, 1)).toEqual(accepted);
    expect(await scene.assess(customer, 10)).toMatchObject({ verdict: 'REVIEW' });
  });

  it('prices an order by its price list, and what is not in the list by the catalog', async () => {
    const items = [
      { product_id: await api.store.product({ sku: 'MUG', price: 1099, stock: 5 }), quantity: 2 },
      { product_id: await api.store.product({ sku: 'CUP', price: 1000, stock: 5 }), quantity: 1 },
    ];

    const response = await api.post('/v1/orders', { items, customer: { name: 'Ada' } });

    expect(response.json()).toMatchObject({ data: { total: 27, items: [{ price: 8.5 }, { price: 10 }] } });
  });

  describe('prices that', () => {
    let mug: number;
    beforeAll(async () => {
      mug = await api.store.product({ name: 'Mug', price: 1_099, stock: 5_000 });
    });
    afterEach(() => {
      Repriced.instead = null;
    });
    const withLine = (more: object) => (priced: PricedItems) => ({
      ...priced,
      lines: priced.lines.map((line) => ({ ...line, ...more })),
    });
    const costing = (minor: number) => (priced: PricedItems, currency: Currency) => {
      const [unitPrice, total] = [Money.ofMinor(minor, currency), Money.ofMinor(minor, currency)];
      return withLine({ unitPrice, total })(priced);
    };
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;

    it.each<[string, NonNullable<typeof Repriced.instead>, string?]>([
      ['throw', thrown(new Error('price service'))],
      ['throw nothing', thrown(undefined)],
      ['reject with a text', rejected('price service')],
      ['reject with null', rejected(null)],
      ['are nothing', () => undefined],
      ['are null', () => null],
      ['have no lines', () => ({ unavailable: [] })],
      ['say not what is missing', ({ lines }) => ({ lines })],
      ['miss a line', () => ({ lines: [], unavailable: [] })],
      [
        'miss a line that was not asked for',
        (priced) => ({ ...priced, unavailable: [{ line: 9, what: 'sku', id: 'A' }] }),
      ],
      ['have a line too much', ({ lines }) => ({ lines: [...lines, ...lines], unavailable: [] })],
      ['have nothing as a line', () => ({ lines: [null], unavailable: [] })],
      ['are not a number', (_, currency) => Money.ofMinor(NaN, currency)],
      ['are below 0', (_, currency) => Money.ofMinor(-1, currency)],
      ['are no money', withLine({ unitPrice: { minor: NaN, currency: 'USD' } })],
      ['are of another currency', costed('EUR')],
      ['are above every price', costing(50_000_000_001)],
      ['have a total of their own', withLine({ total: Money.ofMinor(1, 'USD') })],
      ['have another product', withLine({ productId: 77 })],
      ['have no product', withLine({ productId: undefined })],
      ['have another variant', withLine({ variantId: 77 })],
      ['have another quantity', withLine({ quantity: 2 })],
      ['have half a unit', withLine({ quantity: 0.5 })],
      ['have a name that cannot be stored', withLine({ name: 'Mug\0' })],
      ['have half a character in their SKU', withLine({ sku: '\ud800' })],
      ['have no attributes', withLine({ attributes: null })],
      ['have attributes that are no texts', withLine({ attributes: { Size: 42 } })],
      ['have attributes without an end', withLine({ attributes: circle })],
      ['have attributes that cannot be stored', withLine({ attributes: { Size: '\0' } })],
      ['have metadata', withLine({ metadata: circle })],
      ['come never', () => new Promise(() => undefined), 'deadline_exceeded'],
    ])(
      'refuse an order, a preview and an added line with 503 when they %s, and write nothing',
      async (_case, instead, code = 'prices_unavailable') => {
        const { order_id: placed } = await api.place(anOrderBody(mug, 1));
        Repriced.instead = instead;
        const before = await written();

        const answers = [
          await api.post('/v1/orders', anOrderBody(mug, 1)),
          await api.post('/v1/orders/preview', anOrderBody(mug, 1)),
          await api.post(`/v1/orders/${placed}/lines`, { add: [{ product_id: mug, quantity: 1 }] }),
        ];

        for (const answer of answers)
          expect([codeOf(answer), answer.headers['retry-after']]).toEqual([[503, code], '1']);
        expect(await written()).toBe(before);
      },
      30_000,
    );
  });

  it.each<[string, unknown]>([
    ['an error', new Error('rule')],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'rule'],
  ])('holds the order when its rule throws %s', async (_case, reason) => {
    rule = thrown(reason);
    const { orderId } = await place();
    rule = null;

    expect((await api.get(`/v1/orders/${orderId}`)).json()).toMatchObject({
      data: { held: true, held_reasons: ['analysis_unavailable'] },
    });
  });

  describe('adds charges that', () => {
    const CUSTOMER = { name: 'Ada', email: 'ada@example.com', country: 'DE' };
    let mug: number;
    beforeAll(async () => {
      mug = await api.store.product({ name: 'Mug', price: 1_099, stock: 50 });
    });
    afterEach(() => {
      charges.instead = null;
    });
    const bodyOf = (more: object = {}) => anOrderBody(mug, 1, { customer: CUSTOMER, ...more });
    const NO_TAX = { tax: [], discount: 0 };
    const vat = (amount: unknown, more: Partial<Tax> = {}) => ({
      name: 'VAT',
      rate: 19,
      ...more,
      amount: amount as number,
    });
    const taxed = (amount: unknown, more: Partial<Tax> = {}) => {
      return { ...NO_CHARGES, lines: [{ tax: [vat(amount, more)], discount: 0 }] };
    };
    const discounted = (discount: number) => ({ ...NO_CHARGES, lines: [{ tax: [], discount }] });

    it('are in the preview, the answer, its replay, the record and the mail of an order', async () => {
      const body = bodyOf({ expected_total: 15.89 });
      const headers = { 'idempotency-key': 'charged' };

      const previewed = await api.post('/v1/orders/preview', body);
      const placed = await api.post('/v1/orders', body, headers);
      charges.instead = () => Promise.reject(new Error('must not be asked'));
      const replayed = await api.post('/v1/orders', body, headers);

      expect(previewed.json()).toMatchObject({
        data: {
          ...{ subtotal: 10.99, tax: 2.53, shipping: 4.9, discount: 0, total: 15.89, problems: [] },
          tax_lines: [{ name: 'VAT', rate: 19, amount: 2.53, included: true }],
        },
      });
      const { data } = placed.json<{ data: { order_id: string } }>();
      expect([placed.statusCode, data]).toMatchObject([201, { subtotal: 10.99, total: 15.89 }]);
      expect(replayed.body).toBe(placed.body);
      expect((await api.get(`/v1/orders/${data.order_id}`)).json()).toMatchObject({
        data: {
          ...{ amount: 1_099, tax_amount: 253, shipping_amount: 490, discount_amount: 0 },
          ...{ adjustment_amount: -253, total_amount: 1_589 },
          line_items: [{ tax: [{ name: 'VAT', rate: 19, amount: 175 }], discount_amount: 0 }],
          shipping_tax: [{ name: 'VAT', rate: 19, amount: 78 }],
          tax_lines: [{ name: 'VAT', rate: 19, amount: 253, included: true }],
        },
      });
      const confirmation = () => smtp.mails.find(({ raw }) => raw.includes(`${data.order_id}-notify-customer`))?.raw;
      await eventually(() => expect(confirmation()).toContain('Shipping: $4.90'));
      expect(confirmation()).toMatch(
        /Subtotal: \$10\.99\r?\nShipping: \$4\.90\r?\nVAT 19 %: \$2\.53 \(included\)\r?\nTotal: {4}\$15\.89/,
      );
    });

    it('are a part of the total that expected_total and the payment must match', async () => {
      const refused = await api.post('/v1/orders', bodyOf({ expected_total: 10.99 }));
      const { order_id: id } = await api.place(bodyOf());
      const pay = (amount: number) =>
        api.post(`/v1/orders/${id}/payments`, { reference: `P-${amount}`, amount, currency: 'USD' });

      expect(codeOf(refused)).toEqual([422, 'price_changed']);
      expect(refused.json()).toMatchObject({ success: false, error: 'The order total is 15.89 USD' });
      expect(codeOf(await pay(1_099))).toEqual([422, 'amount_mismatch']);
      expect((await pay(1_589)).json()).toMatchObject({ data: { status: 'SUCCEEDED' } });
    });

    it('add tax and shipping to the total, and take off a discount', async () => {
      charges.instead = () =>
        Promise.resolve({ ...NO_CHARGES, shipping: 500, lines: [{ tax: [vat(176)], discount: 99 }] });

      expect((await api.place(bodyOf())).total).toBe(16.76);
      const [row] = await api.database.query('SELECT * FROM orders ORDER BY created_at DESC LIMIT 1');
      expect(row).toMatchObject({
        total_amount: '1676',
        tax_amount: '176',
        shipping_amount: '500',
        discount_amount: '99',
      });
    });

    it('count for the limit from which orders are reviewed', async () => {
      const scene = await FraudScene.create(api, 1_000);
      await scene.configure({ review_amount: 1_490 });

      expect(await scene.rules({}, 1)).toEqual(['amount_over_limit']);
      expect(await scene.rules({}, 2)).toEqual(['amount_over_limit']);
      charges.instead = () => Promise.resolve(NO_CHARGES);
      expect(await scene.rules({}, 1)).toEqual([]);
    });

    it.each<[string, () => unknown, string]>([
      [
        'throw',
        () => {
          throw new Error('tax service');
        },
        'charges_unavailable',
      ],
      ['reject', () => Promise.reject(new Error('tax service')), 'charges_unavailable'],
      ['reject with nothing', rejected(undefined), 'charges_unavailable'],
      ['are null', () => null, 'charges_unavailable'],
      ['are not a number', () => taxed(NaN), 'charges_unavailable'],
      ['are texts', () => taxed('1'), 'charges_unavailable'],
      ['lack one', () => ({ ...NO_CHARGES, lines: [{ tax: [] }] }), 'charges_unavailable'],
      ['have no taxes', () => ({ ...NO_CHARGES, lines: [{ discount: 0 }] }), 'charges_unavailable'],
      ['are for other lines', () => ({ ...NO_CHARGES, lines: [NO_TAX, NO_TAX] }), 'charges_unavailable'],
      ['have a tax without a name', () => taxed(1, { name: ' ' }), 'charges_unavailable'],
      ['have a rate with 5 decimals', () => taxed(1, { rate: 7.00001 }), 'charges_unavailable'],
      ['are nothing', () => Promise.resolve(undefined), 'charges_unavailable'],
      ['are a fraction', () => Promise.resolve(taxed(0.5)), 'charges_unavailable'],
      ['are negative', () => Promise.resolve({ ...NO_CHARGES, shipping: -1 }), 'charges_unavailable'],
      ['are not safe', () => Promise.resolve({ ...NO_CHARGES, shipping: 2 ** 53 }), 'charges_unavailable'],
      ['discount a line by more than its price', () => discounted(1_100), 'charges_unavailable'],
      [
        'tax a line by more than the price that includes it',
        () => ({ ...taxed(1_100), isTaxIncluded: true }),
        'charges_unavailable',
      ],
      ['come too late', () => new Promise(() => undefined), 'deadline_exceeded'],
    ])(
      'refuse an order and a preview with 503 when they %s, and write nothing',
      async (_case, instead, code) => {
        charges.instead = instead;
        const before = await written();

        const answers = [await api.post('/v1/orders', bodyOf()), await api.post('/v1/orders/preview', bodyOf())];

        for (const answer of answers)
          expect([codeOf(answer), answer.headers['retry-after']]).toEqual([[503, code], '1']);
        expect(await written()).toBe(before);
      },
      15_000,
    );

    it('leave the reason of a failure in the log of the service, and not in the answer', async () => {
      charges.instead = () => Promise.resolve(taxed(0.5));

      const answer = await api.post('/v1/orders', bodyOf());

      expect(answer.json()).toMatchObject({ success: false, error: 'The charges of the order cannot be computed' });
      await eventually(() =>
        expect(log.join('')).toContain('The tax of an order must be an integer of minor units from 0: 0.5'),
      );
    });

    it('refuse an order with an error of their own, unless it was placed before', async () => {
      const headers = { 'idempotency-key': 'charged before' };
      const placed = await api.post('/v1/orders', bodyOf(), headers);
      charges.instead = () => Promise.reject(new LoyaltySuspended());

      expect(codeOf(await api.post('/v1/orders', bodyOf()))).toEqual([422, 'loyalty_suspended']);
      expect(codeOf(await api.post('/v1/orders/preview', bodyOf()))).toEqual([422, 'loyalty_suspended']);
      expect((await api.post('/v1/orders', bodyOf(), headers)).body).toBe(placed.body);
    });
  });

  describe('adds a channel that', () => {
    it('receives each order', async () => {
      const order = await place();

      await eventually(() => expect(receivedOf(order)).toHaveLength(1));
      await eventually(async () => expect((await stageOf(order))?.state).toBe('done'));
      expect(mailsOf(order)).toBe(1);
    });

    it('is tried again without a second mail, after it failed for good, too', async () => {
      status = 410;
      const order = await place();
      await eventually(async () =>
        expect(await stageOf(order)).toEqual({ state: 'dead', last_error: 'HTTP_REFUSED', notified: ['mail'] }),
      );
      status = 200;

      await api.app.get(StageRetries, { strict: false }).retry(order);

      await eventually(async () =>
        expect(await stageOf(order)).toMatchObject({ state: 'done', notified: ['mail', 'chat'] }),
      );
      expect([mailsOf(order), receivedOf(order).length]).toEqual([1, 2]);
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'chat service'],
  ])('has a channel that is tried again after it rejects with %s', async (_case, reason) => {
    chat.instead = rejected(reason);
    const order = await place();
    await eventually(async () =>
      expect(await stageOf(order)).toMatchObject({ state: 'pending', notified: ['mail'], last_error: 'Error' }),
    );
    chat.instead = null;

    await eventually(async () =>
      expect(await stageOf(order)).toMatchObject({ state: 'done', notified: ['mail', 'chat'] }),
    );
  });

  it('tells its channel of each shipment once, by its reference', async () => {
    const { orderId } = await place();
    const stages = `SELECT reference, state, ARRAY(SELECT unnest(notified) ORDER BY 1) AS notified FROM order_stages
      WHERE order_id = $1 AND stage = 'notify-shipment' ORDER BY reference`;

    for (const reference of ['S-1', 'S-2']) {
      const items = [{ line: 1, quantity: 1 }];
      expect((await api.post(`/v1/orders/${orderId}/shipments`, { reference, items })).statusCode).toBe(201);
    }

    await eventually(async () =>
      expect(await api.database.query(stages, [orderId])).toEqual(
        ['S-1', 'S-2'].map((reference) => ({ reference, state: 'done', notified: ['chat', 'mail'] })),
      ),
    );
    const shipments = told.filter((line) => line.startsWith(`${orderId} notify-shipment`));
    expect(shipments.sort()).toEqual(['S-1', 'S-2'].map((reference) => `${orderId} notify-shipment ${reference}`));
  });

  describe('has migrations that', () => {
    beforeAll(() => loadModule());

    it('keep the rules of the service', async () => {
      expect(await Promise.all(migrations.migrations.map(faultsOfMigration))).toEqual([[]]);
    });

    it('create their tables, and are recorded, in a schema of their own', async () => {
      const tables = await api.database.query(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'loyalty' ORDER BY 1`,
      );

      expect(tables).toEqual([{ name: 'accounts' }, { name: 'migrations' }]);
      expect(await api.database.query('SELECT name FROM loyalty.migrations')).toEqual([
        { name: 'Accounts1795564800001' },
      ]);
    });

    it('the API waits for', async () => {
      const connection = api.app.get(HealthConnection);
      expect(await connection.isSchemaCurrent()).toBe(true);
      await api.database.query('UPDATE loyalty.migrations SET name = name || $1', ['x']);

      expect(await connection.isSchemaCurrent()).toBe(false);
      await api.database.query(`UPDATE loyalty.migrations SET name = 'Accounts1795564800001'`);
    });
  });

  it('passes its own tests, and starts from its build, as the API and as the worker', () => {
    const run = (command: string, ...args: string[]) =>
      spawnSync(command, args, { encoding: 'utf8', env: { PATH: process.env['PATH'], PORT: 'none' } });
    run('npm', 'run', '--silent', 'build:extending');
    expect(run(process.execPath, '--test', 'dist/examples/extending/src/extending.test.js')).toMatchObject({
      status: 0,
    });

    for (const program of ['main', 'worker']) {
      const { status, stderr } = run(process.execPath, `dist/examples/extending/src/${program}.js`);
      // A start reports this first, once all modules are loaded.
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^PORT /)]);
    }
  });

  it('has a worker with the same rules and channels', async () => {
    const config = testConfig({ DATABASE_URL: api.database.url, SMTP_URL: smtp.url });
    const logger = new JsonLogger('silent');
    const module = WorkerModule.on(config, api.database.url, logger, new ServiceMetrics(), extended);
    const worker = await NestFactory.createApplicationContext(module, { logger: false });
    const address = wholeAddress({ address: '1 Main Street', city: 'Portland', zip: '97230' });
    const signals = {
      email: '',
      phone: '',
      address,
      total: 100,
      items: [{ productId: 1, variantId: null, quantity: 1 }],
    };
    const placed = { orderId: (await place()).orderId, at: new Date() };

    const { reasons } = await worker.get(FraudScreening, { strict: false }).reassess(api.store.id, signals, placed);
    const order = anOrderRecord();
    await worker.get(Notifier, { strict: false }).notify('notify-merchant', order, aStoreProfile(), '');
    await worker.close();

    expect(reasons).toEqual([{ rule: 'forwarded_parcel', score: 30 }]);
    expect(receivedOf({ storeId: 1, orderId: order.id })).toHaveLength(1);
  });
});

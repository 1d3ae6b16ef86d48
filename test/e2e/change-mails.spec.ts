import { CustomersService } from '@app/application';
import { anOrderBody } from '../builders/order-body.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { readMail } from '../support/mail-message.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type ChangeStage = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

interface Stage {
  readonly stage: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
}

const TRACKING_URL = 'https://tracking.example.com/00340434161094042557';
const parcel = { reference: 'SHIP-1', carrier: 'DHL', tracking_number: '00340434161094042557' };

let smtp: SmtpSink;
let api: RunningApi;
beforeAll(async () => {
  smtp = await SmtpSink.start();
  api = await startApi({ PIPELINE: 'inline', SMTP_URL: smtp.url });
});
afterAll(async () => {
  await api.stop();
  await smtp.close();
});
afterEach(async () => {
  smtp.behaviour = { kind: 'accept' };
  await settings({});
});

const settings = (notifications: object) =>
  api.database.query('UPDATE stores SET ecommerce_settings = $1', [{ notifications }]);

let serial = 0;

/** Places an order of two mugs, and waits until the customer has its confirmation, if they have an address. */
async function place(email = `buyer-${++serial}@example.com`): Promise<string> {
  const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
  const body = { items: [{ product_id: mug, quantity: 2 }], customer: { name: 'Ada Lovelace', email } };
  const id = (await api.post('/v1/orders', body)).json<{ data: { order_id: string } }>().data.order_id;
  await eventually(async () => expect(await statesOf(id, 'notify-customer')).toEqual(['done']));
  return id;
}

async function change(id: string, what: string, body: object): Promise<void> {
  const response = await api.post(`/v1/orders/${id}/${what}`, body);
  expect([response.statusCode, response.body]).toEqual([what === 'cancel' ? 200 : 201, expect.any(String)]);
}

async function stagesOf(id: string, stage: string): Promise<Stage[]> {
  const { pipeline } = (await api.get(`/v1/orders/${id}`)).json<{ data: { pipeline: Stage[] } }>().data;
  return pipeline.filter((one) => one.stage === stage);
}
const statesOf = async (id: string, stage: string) => (await stagesOf(id, stage)).map(({ state }) => state);
const becomes = (id: string, stage: string, states: readonly string[]) =>
  eventually(async () => expect(await statesOf(id, stage)).toEqual(states));

const mailsOf = (id: string, stage: ChangeStage) =>
  smtp.mails.filter(({ messageId }) => messageId.startsWith(`${id}-${stage}`));
const textOf = (raw = '') => readMail(raw).parts.get('text/plain') ?? '';
const pay = (id: string) => change(id, 'payments', { reference: 'PAY-1', amount: 2198, currency: 'USD' });

/** Makes the change that queues the mail. */
const CHANGES: [stage: ChangeStage, make: (id: string, notify?: boolean) => Promise<void>][] = [
  ['notify-shipment', (id, notify) => change(id, 'shipments', { ...parcel, tracking_url: TRACKING_URL, notify })],
  ['notify-cancellation', (id, notify) => change(id, 'cancel', { reason: 'none of yours', notify })],
  [
    'notify-refund',
    async (id, notify) => {
      await pay(id);
      await change(id, 'refunds', { reference: 'RE-1', amount: 550, notify });
    },
  ],
];

describe('the customer of an order', () => {
  it('gets one mail for each shipment, with its tracking and what is still to come', async () => {
    const id = await place();
    const first = { ...parcel, tracking_url: TRACKING_URL, items: [{ line: 1, quantity: 1 }] };

    await change(id, 'shipments', first);
    await change(id, 'shipments', first);
    await becomes(id, 'notify-shipment', ['done']);
    await change(id, 'shipments', { reference: 'ship-1' });
    await becomes(id, 'notify-shipment', ['done', 'done']);

    const [one, other, ...more] = mailsOf(id, 'notify-shipment');
    expect(more).toEqual([]);
    expect(one?.to).toEqual([`buyer-${serial}@example.com`]);
    for (const words of ['1 × Mug', 'DHL', parcel.tracking_number, TRACKING_URL, 'Still to come:\n  1 × Mug\n']) {
      expect(textOf(one?.raw)).toContain(words);
    }
    expect(textOf(other?.raw)).not.toMatch(/Tracking|Still to come/);
    expect(other?.messageId).not.toBe(one?.messageId);
  });

  it('gets the mail about a picked shipment when it is shipped', async () => {
    const id = await place();
    await change(id, 'shipments', { ...parcel, status: 'picking' });
    expect(await stagesOf(id, 'notify-shipment')).toEqual([]);

    const headers = { authorization: `Bearer ${api.store.key}` };
    const patch = { method: 'PATCH', url: `/v1/orders/${id}/shipments/SHIP-1`, headers } as const;
    await api.inject({ ...patch, payload: { status: 'shipped' } });
    await api.inject({ ...patch, payload: { status: 'delivered' } });

    await becomes(id, 'notify-shipment', ['done']);
    expect(mailsOf(id, 'notify-shipment')).toHaveLength(1);
  });

  it('learns from the mail about the cancellation of a paid order that the money is paid back', async () => {
    const id = await place();
    await pay(id);

    await change(id, 'cancel', { reason: 'none of yours' });

    await becomes(id, 'notify-cancellation', ['done']);
    const [mail] = mailsOf(id, 'notify-cancellation');
    expect(textOf(mail?.raw)).toMatch(/is cancelled\.[^]*We will pay back \$21\.98 to you\./);
    expect(mail?.raw).not.toContain('none of yours');
  });

  it('gets one mail for each refund, with its amount', async () => {
    const id = await place();
    await pay(id);

    for (const [reference, amount] of Object.entries({ 'RE-1': 550, 'RE-2': 1 })) {
      await change(id, 'refunds', { reference, amount });
    }

    await becomes(id, 'notify-refund', ['done', 'done']);
    const texts = mailsOf(id, 'notify-refund').map(({ raw }) => /we have paid back (\S+) to/.exec(textOf(raw))?.[1]);
    expect(texts.sort()).toEqual(['$0.01', '$5.50']);
  });
});

describe.each(CHANGES)('%s', (stage, make) => {
  it('is no stage of a change with notify false', async () => {
    const id = await place();

    await make(id, false);

    expect(await stagesOf(id, stage)).toEqual([]);
  });

  it('is done without a mail when the person is erased while it fails', async () => {
    const id = await place();
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    await make(id);
    await eventually(async () => expect(await stagesOf(id, stage)).toMatchObject([{ last_error: 'SMTP_451' }]));

    const person = { store: api.store.subdomain, email: `buyer-${serial}@example.com`, force: true };
    expect(await api.app.get(CustomersService).erase(person)).toMatchObject({ orders: 1 });
    smtp.behaviour = { kind: 'accept' };

    await becomes(id, stage, ['done']);
    expect(mailsOf(id, stage)).toEqual([]);
  });

  it('sends the mail again with the same id after a worker was killed before it recorded the mail', async () => {
    const id = await place();
    await make(id);
    await becomes(id, stage, ['done']);

    // What the killed worker leaves. The back-off of the lost attempt is skipped.
    await api.database.query(
      `UPDATE order_stages SET state = 'pending', attempts = 0, locked_until = now() - interval '1 s'
       WHERE order_id = $1 AND stage = $2`,
      [id, stage],
    );
    await eventually(async () => expect(await stagesOf(id, stage)).toMatchObject([{ last_error: 'WorkerLost' }]));
    await api.database.query('UPDATE order_stages SET run_at = now() WHERE order_id = $1 AND stage = $2', [id, stage]);

    await becomes(id, stage, ['done']);
    const ids = mailsOf(id, stage).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

it('a shipment that becomes void before its mail is sent sends none, and the mail of the next one is sent', async () => {
  const id = await place();
  smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
  await change(id, 'shipments', parcel);
  await eventually(async () =>
    expect(await stagesOf(id, 'notify-shipment')).toMatchObject([{ last_error: 'SMTP_451' }]),
  );
  await api.inject({
    method: 'PATCH',
    url: `/v1/orders/${id}/shipments/SHIP-1`,
    headers: { authorization: `Bearer ${api.store.key}` },
    payload: { status: 'void' },
  });
  await change(id, 'shipments', { ...parcel, reference: 'SHIP-2', tracking_number: 'second' });

  smtp.behaviour = { kind: 'accept' };

  await becomes(id, 'notify-shipment', ['done', 'done']);
  const mails = mailsOf(id, 'notify-shipment');
  expect(mails).toHaveLength(1);
  expect(textOf(mails[0]?.raw)).toContain('Tracking number: second');
});

describe('the merchant', () => {
  const toldOf = (units: number) =>
    smtp.mails.filter(({ raw }) => raw.includes(`Subject: ${units} sold units are missing`));

  it('is told once of sold units that a count did not find, and the newest open orders, also after a failure', async () => {
    const shop = await api.withStore();
    const merchant = { email: 'merchant@example.com' };
    await api.database.query('UPDATE stores SET contact = $1 WHERE id = $2', [merchant, shop.store.id]);
    const product = await shop.store.product({ sku: 'R-1', stock: 5 });
    const place = async () =>
      (await shop.post('/v1/orders', anOrderBody(product, 2))).json<{ data: { receipt_number: string } }>().data;
    const shipped = await shop.post('/v1/orders', anOrderBody(product));
    const { order_id } = shipped.json<{ data: { order_id: string } }>().data;
    expect((await shop.post(`/v1/orders/${order_id}/shipments`, { reference: 'S-1' })).statusCode).toBe(201);
    const orders = [await place(), await place()];
    const reader = new FeedReader(shop);
    await reader.catchUp();
    smtp.behaviour = { kind: 'refuse', at: 'recipient', code: 451 };

    const line = { sku: 'R-1', counted: 1, as_of: reader.cursor, basis: 'on_hand' };
    const { data } = (await shop.post('/v1/stock', { lines: [line] })).json<{ data: { lines: object[] } }>();

    expect(data.lines).toMatchObject([{ after: 0, short: 3 }]);
    const attempts = async () =>
      api.database.query<{ attempts: number }>('SELECT attempts FROM merchant_notices WHERE store_id = $1', [
        shop.store.id,
      ]);
    await eventually(async () => expect(await attempts()).toEqual([{ attempts: 1 }]));
    smtp.behaviour = { kind: 'accept' };
    await api.database.query('UPDATE merchant_notices SET run_at = now()');
    await eventually(async () => expect(await attempts()).toEqual([]));
    const [mail, ...more] = toldOf(3);
    expect(more).toEqual([]);
    expect(mail?.to).toEqual(['merchant@example.com']);
    const newest = orders.map(({ receipt_number: receipt }) => receipt).toReversed();
    expect(mail?.raw.replaceAll('=\r\n', '')).toMatch(
      new RegExp(`3 missing\r\n\\s+The newest open orders with it: ${newest.join(', ')}`),
    );
  });
});

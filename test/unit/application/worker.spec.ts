import {
  RunPipelineStage,
  type OrderRepository,
  type PipelineStages,
  type StoreRepository,
  RescreenHeldOrders,
  type FraudScreening,
  type HeldOrders,
  DeliverWebhooks,
  type ChangedResource,
  type ChangesPage,
  type FeedService,
  type ClaimedWebhook,
  type RecordFormat,
  type WebhookQueue,
  type WebhookSender,
} from '@app/application';
import { ANALYSIS_UNAVAILABLE, type FraudAssessment } from '@app/domain';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { UnusableAddress } from '../../../libs/infrastructure/src/mail/mail-failure.js';

const HOUR_MS = 3_600_000;

function aWorker(notify: () => Promise<boolean>, order = anOrderRecord()) {
  const stages = { fail: vi.fn(), abandon: vi.fn(), succeed: vi.fn() };
  const run = new RunPipelineStage(
    stages as unknown as PipelineStages,
    { findById: () => Promise.resolve(order) } as unknown as OrderRepository,
    { findProfile: () => Promise.resolve(aStoreProfile()) } as unknown as StoreRepository,
    { notify },
  );
  const attempt = async (attempts = 0, takenOver = false) => {
    const claim = { storeId: 1, orderId: order.id, stage: 'notify-customer', reference: '', attempts } as const;
    return (await run.execute({ ...claim, lockedUntil: new Date(), takenOver })).outcome;
  };
  const pauses = () => stages.fail.mock.calls.map(([, , retryInMs]) => retryInMs as number | null);
  return { attempt, stages, pauses };
}

const refusal = () => Promise.reject(Object.assign(new Error('ada@example.com'), { code: 'SMTP_451' }));

describe('RunPipelineStage', () => {
  it('makes a failed stage due later after each attempt, and gives it up after the twelfth, 16 hours after the first', async () => {
    const { attempt, pauses } = aWorker(refusal);

    for (let attempts = 0; attempts < 11; attempts++) expect(await attempt(attempts)).toBe('failed');
    expect(await attempt(11)).toBe('dead');

    const waits = pauses().slice(0, 11).map(Number);
    expect(pauses()[11]).toBeNull();
    expect(waits).toEqual([...waits].sort((one, other) => one - other));
    expect(waits[0]).toBeLessThan(3_000);
    expect(Math.round(waits.reduce((sum, wait) => sum + wait, 0) / HOUR_MS)).toBe(16);
  });

  it('gives a stage up after one attempt when the recipient cannot get the message', async () => {
    const { attempt, stages } = aWorker(() => Promise.reject(new UnusableAddress()));

    expect(await attempt()).toBe('undeliverable');
    expect(stages.abandon.mock.calls).toMatchObject([[{}, 'undeliverable', {}]]);
    expect(stages.fail).not.toHaveBeenCalled();
  });

  it.each([
    [0, 'failed'],
    [11, 'dead'],
  ])('counts attempt %d of a lost worker as %s, and sends nothing', async (attempts, outcome) => {
    const notify = vi.fn(() => Promise.resolve(true));
    const { attempt, stages } = aWorker(notify);

    expect(await attempt(attempts, true)).toBe(outcome);
    expect(stages.fail).toHaveBeenCalledTimes(1);
    expect(notify).not.toHaveBeenCalled();
  });
});

const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };
const SIGNAL = new AbortController().signal;

function unanalysed(count: number, failing: readonly string[] = []) {
  const ids = Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'));
  const held = new Set(ids);
  const screened: string[] = [];
  const rescreen = new RescreenHeldOrders(
    {
      list: (_: unknown, limit: number, after: { orderId: string } | null) => {
        const next = [...held].filter((id) => after === null || id > after.orderId).slice(0, limit);
        return Promise.resolve(next.map((orderId) => ({ storeId: 1, orderId })));
      },
      settle: ({ orderId }: { orderId: string }) => Promise.resolve(held.delete(orderId)),
    } as unknown as HeldOrders,
    { findById: (_: number, id: string) => Promise.resolve(anOrderRecord({ id })) } as unknown as OrderRepository,
    {
      reassess: (_: number, __: unknown, { orderId }: { orderId: string }) => {
        screened.push(orderId);
        return Promise.resolve(failing.includes(orderId) ? ANALYSIS_UNAVAILABLE : ACCEPTED);
      },
    } as unknown as FraudScreening,
  );
  return { ids, held: () => [...held], screened, rescreen };
}

describe('RescreenHeldOrders', () => {
  it('releases every accepted order, over several batches', async () => {
    const { ids, screened, rescreen, held } = unanalysed(120);

    expect(await rescreen.execute(null, SIGNAL)).toBeNull();
    expect([screened, held()]).toEqual([ids, []]);
  });

  it('ends when the analysis is still unavailable, and the next call continues after that order', async () => {
    const { screened, rescreen, held } = unanalysed(3, ['0000']);

    const last = await rescreen.execute(null, SIGNAL);

    expect([last?.orderId, screened]).toEqual(['0000', ['0000']]);
    expect(await rescreen.execute(last, SIGNAL)).toBeNull();
    expect(held()).toEqual(['0000']);
  });

  it('ends when its signal aborts', async () => {
    const { screened, rescreen } = unanalysed(2);

    await rescreen.execute(null, AbortSignal.abort());

    expect(screened).toEqual([]);
  });
});

const POSITION = { branch: '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60', position: 0, base: 0 };

const claimed: ClaimedWebhook = {
  ...{ storeId: 1, id: '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f61', mode: 'live', url: 'https://erp.example/' },
  ...{
    kinds: ['products'],
    body: 'thin',
    batch: 1,
    currency: 'USD',
    feedPosition: POSITION,
    secrets: ['whsec_c2VjcmV0'],
    headers: {},
  },
  ...{ isActive: true, isTestDue: false, failures: 0, failingForMs: 0, replays: 0, epoch: 0, holder: 'w' },
  movedUpTo: 0,
  claimedAt: performance.now(),
};

describe('DeliverWebhooks', () => {
  afterEach(() => vi.restoreAllMocks());

  /** The second of two products is deleted during the first message. @param durationMs of each message. */
  async function toldIn(durationMs: number, record = () => Promise.resolve(true)): Promise<string[]> {
    let ahead = 0;
    let isDeleted = false;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);
    const change = (id: string, position: number, record: unknown) =>
      ({ kind: 'products', id, position, at: new Date(), record }) as ChangedResource;
    const read = (_storeId: number, { after }: { readonly after: typeof POSITION }): Promise<ChangesPage> => {
      const second = change('2', isDeleted ? 3 : 2, isDeleted ? null : {});
      const changes = [change('1', 1, {}), second].filter(({ position }) => position > after.position);
      const next = { ...POSITION, position: second.position };
      return Promise.resolve({ changes, next, hasMore: false, rewound: false } as unknown as ChangesPage);
    };
    const told: string[] = [];
    const post = (_headers: object, body: string) => {
      const { type, data } = JSON.parse(body) as { readonly type: string; readonly data: { readonly id: string } };
      told.push(`${data.id} ${type}`);
      isDeleted = true;
      ahead += durationMs;
      return Promise.resolve({
        at: new Date(),
        phase: 'done',
        status: 200,
        durationMs: 1,
        answer: '',
        retryAfterMs: null,
      });
    };
    const deliver = new DeliverWebhooks(
      { record, release: () => Promise.resolve() } as unknown as WebhookQueue,
      { read } as unknown as FeedService,
      { open: () => ({ post, close: () => undefined }) } as unknown as WebhookSender,
      {} as RecordFormat,
    );
    await deliver.execute({ ...claimed, claimedAt: performance.now() }, new AbortController().signal);
    return told;
  }

  it('reads a change again that it read more than a second ago, and tells its present state', async () => {
    expect(await toldIn(1_100)).toEqual(['1 products.changed', '2 products.deleted']);
  });

  it('sends what it read within a second', async () => {
    expect((await toldIn(1)).slice(0, 2)).toEqual(['1 products.changed', '2 products.changed']);
  });

  it('reads nothing for a message that would be too late when the turn of its webhook comes', async () => {
    let ahead = 0;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);
    let finish: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const read = vi.fn(() => slow.then(() => ({ changes: [], next: POSITION, hasMore: false, rewound: false })));
    const deliver = new DeliverWebhooks(
      { record: () => Promise.resolve(true), release: () => Promise.resolve() } as unknown as WebhookQueue,
      { read } as unknown as FeedService,
      { open: () => ({ close: () => undefined }) } as unknown as WebhookSender,
      {} as RecordFormat,
    );
    const runs = [1, 2, 3].map(() =>
      deliver.execute({ ...claimed, claimedAt: performance.now() }, new AbortController().signal),
    );

    ahead = 9_000;
    finish();
    await Promise.all(runs);

    expect(read).toHaveBeenCalledTimes(2);
  });

  it('records the message that has begun when it may send nothing more', async () => {
    const record = vi.fn(() => Promise.resolve(false));

    expect(await toldIn(1, record)).toEqual(['1 products.changed', '2 products.changed']);

    expect(record).toHaveBeenCalledTimes(2);
  });
});

import {
  DeliverWebhooks,
  type ChangedResource,
  type ChangesPage,
  type FeedService,
  type ClaimedWebhook,
  type RecordFormat,
  type WebhookQueue,
  type WebhookSender,
} from '@app/application';

const PLACE = { branch: '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60', position: 0, base: 0 };

const claimed: ClaimedWebhook = {
  ...{ storeId: 1, id: '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f61', mode: 'live', url: 'https://erp.example/' },
  ...{ kinds: ['products'], body: 'thin', batch: 1, currency: 'USD', place: PLACE, secrets: ['whsec_c2VjcmV0'] },
  ...{ isActive: true, isTestDue: false, failures: 0, failingForMs: 0, replays: 0, epoch: 0, holder: 'w' },
  claimedAt: performance.now(),
};

describe('DeliverWebhooks', () => {
  afterEach(() => jest.restoreAllMocks());

  /**
   * Delivers the changes of two products, of which the second is deleted during the first message.
   *
   * @param durationMs of each message. @returns the messages.
   */
  async function toldIn(durationMs: number): Promise<string[]> {
    let ahead = 0;
    let isDeleted = false;
    const clock = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);
    const change = (id: string, position: number, record: unknown) =>
      ({ kind: 'products', id, position, at: new Date(), record }) as ChangedResource;
    const read = (_storeId: number, { after }: { readonly after: typeof PLACE }): Promise<ChangesPage> => {
      const second = change('2', isDeleted ? 3 : 2, isDeleted ? null : {});
      const changes = [change('1', 1, {}), second].filter(({ position }) => position > after.position);
      const next = { ...PLACE, position: second.position };
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
      { record: () => Promise.resolve(true), release: () => Promise.resolve() } as unknown as WebhookQueue,
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
});

import { retryingFetch } from './retrying-fetch.js';

const URL = 'http://localhost/v1/orders';
const read = () => new Request(URL);
const order = (headers = {}) => new Request(URL, { method: 'POST', body: '{}', headers });
const change = (method = 'PATCH') => new Request(URL, { method, body: '{}' });
const orderWithKey = () => order({ 'Idempotency-Key': 'cart-4' });

describe('retryingFetch', () => {
  let waits: unknown[];
  beforeEach(() => {
    waits = [];
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    vi.spyOn(global, 'setTimeout').mockImplementation((end, ms) => {
      waits.push(ms);
      end();
      return 0 as never;
    });
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-20T12:00:00Z'));
  });
  afterEach(() => vi.restoreAllMocks());

  const sending = async (request: Request, statuses: readonly number[], retryAfter?: string) => {
    let sent = 0;
    const send = (): Promise<Response> => {
      const status = statuses[sent++] ?? 200;
      const headers = new Headers(status === 200 || retryAfter === undefined ? [] : [['Retry-After', retryAfter]]);
      return Promise.resolve(new Response('{}', { status, headers }));
    };
    const { status } = await retryingFetch({ send, attempts: 3, firstWaitMs: 100 })(request);
    return { status, sent };
  };

  it.each([409, 429, 500, 502, 503, 504])(
    'repeats a read, a PATCH, a PUT, and an order with a key, after %i',
    async (status) => {
      for (const request of [read(), change(), change('PUT'), orderWithKey()]) {
        expect(await sending(request, [status])).toEqual({ status: 200, sent: 2 });
      }
    },
  );

  it.each([
    ['in seconds', '1', 1_000],
    ['as a date', 'Fri, 20 Nov 2026 12:00:02 GMT', 2_000],
  ])('waits for Retry-After %s', async (_form, header, wait) => {
    expect(await sending(orderWithKey(), [429], header)).toEqual({ status: 200, sent: 2 });
    expect(waits).toEqual([wait]);
  });

  it.each([undefined, 'soon', '-5', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'waits twice as long before each further attempt with Retry-After: %s',
    async (header) => {
      expect(await sending(orderWithKey(), [503, 503], header)).toEqual({ status: 200, sent: 3 });
      expect(waits).toEqual([50, 100]);
    },
  );

  it.each<[string, () => Request, number[], string | undefined]>([
    ['at once when Retry-After is too long', orderWithKey, [503], '9999999'],
    ['after three attempts', read, [503, 503, 503], undefined],
    ['after 422', orderWithKey, [422], undefined],
    ['for an order without a key', order, [503], undefined],
  ])('gives up %s', async (_case, request, statuses, retryAfter) => {
    expect(await sending(request(), statuses, retryAfter)).toEqual({ status: statuses[0], sent: statuses.length });
  });
});

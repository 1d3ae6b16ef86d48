import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookRefused, type WebhookMessage } from './webhooks.js';

const drawSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const NOW = new Date('2026-11-23T12:00:00.700Z');
const MESSAGE: WebhookMessage = {
  type: 'orders.changed',
  timestamp: '2026-11-23T11:59:59.000Z',
  data: { kind: 'orders', id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', deleted: false, cursor: 'MS4x' },
};

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

function sign(secret: string, secondsAgo = 0): Received {
  const time = new Date(NOW.getTime() - secondsAgo * 1000);
  const body = JSON.stringify({ ...MESSAGE, note: 'Größe 42 €' });
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', time, body),
  };
  return { headers, body };
}

describe('verifyWebhook', () => {
  beforeEach(() => vi.useFakeTimers({ now: NOW }));
  afterEach(() => vi.useRealTimers());

  const secret = drawSecret();
  const { headers, body } = sign(secret);
  const signature = headers['webhook-signature'] ?? '';
  const withHeader = (name: string, value: string): Received => ({ headers: { ...headers, [name]: value }, body });

  const accepts = (verify: () => unknown): Promise<boolean> =>
    Promise.resolve()
      .then(verify)
      .then(
        () => true,
        () => false,
      );

  it.each<[string, Received, boolean]>([
    ['a message', sign(secret), true],
    ['one of 5 minutes ago', sign(secret, 300), true],
    ['one of more than 5 minutes ago', sign(secret, 301), false],
    ['one that is 5 minutes ahead', sign(secret, -300), true],
    ['one that is further ahead', sign(secret, -301), false],
    ['one of another secret', sign(drawSecret()), false],
    ['one whose second signature fits', withHeader('webhook-signature', `v1,AAAA ${signature}`), true],
    ['one with a signature of an unknown version', withHeader('webhook-signature', `v1a,AAAA ${signature}`), true],
    ['one with only an unknown version', withHeader('webhook-signature', signature.replace('v1', 'v2')), false],
    ['one with a cut signature', withHeader('webhook-signature', signature.slice(0, -4)), false],
    ['one without a signature', withHeader('webhook-signature', ''), false],
    ['one with another id', withHeader('webhook-id', 'msg_2'), false],
    ['one without an id', withHeader('webhook-id', ''), false],
    ['one with another time', withHeader('webhook-timestamp', String(Math.floor(NOW.getTime() / 1000) + 1)), false],
    ['one without a time', withHeader('webhook-timestamp', ''), false],
    ['one whose time is no number', withHeader('webhook-timestamp', 'now'), false],
    ['one whose body was written anew', { headers, body: JSON.stringify(JSON.parse(body), null, 1) }, false],
  ])('decides like the library standardwebhooks about %s', async (_, received, expected) => {
    const ours = await accepts(() => verifyWebhook(secret, received.headers, Buffer.from(received.body)));
    const theirs = await accepts(() => new Webhook(secret).verify(received.body, received.headers));

    expect([ours, theirs]).toEqual([expected, expected]);
  });

  it('returns the message', async () => {
    expect(await verifyWebhook(secret, headers, body)).toMatchObject(MESSAGE);
  });

  it('accepts either secret while they are rotated', async () => {
    expect(await verifyWebhook([drawSecret(), secret], headers, body)).toMatchObject(MESSAGE);
  });

  it('tells a refusal from a fault of the receiver', async () => {
    await expect(verifyWebhook(drawSecret(), headers, body)).rejects.toThrow(WebhookRefused);
  });

  it.each(['', 'whsec_', 'whsec_YWJj', 'not a secret'])('never verifies with the secret "%s"', async (weak) => {
    await expect(verifyWebhook(weak, headers, body)).rejects.toThrow('A webhook secret begins with whsec_');
  });
});

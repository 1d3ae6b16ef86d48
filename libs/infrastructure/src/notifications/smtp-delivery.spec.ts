import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { anOrderRecord, aStoreProfile } from '../../../../test/builders/order-record.js';
import { readMail } from '../../../../test/support/mail-message.js';
import { SmtpSink, type SinkBehaviour } from '../../../../test/support/smtp-sink.js';
import { Config } from '../config.js';
import { MailNotifier } from './mail-notifier.js';
import { SmtpDelivery } from './smtp-delivery.js';

const QUICK = { connectMs: 300, greetingMs: 300, socketMs: 500, attemptMs: 1_000 };
const MESSAGE = {
  from: { name: '', address: 'orders@shops.test' },
  to: { name: '', address: 'ada@example.com' },
  subject: 'Hello',
  text: 'Hello',
};

describe('mail by SMTP', () => {
  let sink: SmtpSink;
  let notifier: MailNotifier;
  beforeEach(async () => {
    sink = await SmtpSink.start();
    notifier = new MailNotifier(new Config({ SMTP_URL: sink.url, MAIL_FROM: 'orders@shops.test' }));
  });
  afterEach(async () => {
    notifier.onApplicationShutdown();
    await sink.close();
  });

  const orderOf = (email: string) => anOrderRecord({ customer: { name: 'Ada, "A" <b@c.de>', email, phone: '' } });

  it.each([
    ['ada@example.com', 'ada@example.com'],
    ["o'hara+x=y@example.com", "o'hara+x=y@example.com"],
    ['a{b}|c@example.com', 'a{b}|c@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['дарья@example.com', 'дарья@example.com'],
  ])('names one recipient for %s: %s', async (email, recipient) => {
    await notifier.notify('notify-customer', orderOf(email), aStoreProfile());

    expect(sink.recipients).toEqual([recipient]);
    expect(sink.mails.map(({ from, to }) => ({ from, to }))).toEqual([{ from: 'orders@shops.test', to: [recipient] }]);
  });

  it.each(['a,b@c', 'a@b,c', ';@x', '<x>@y', '"a"@b', 'x:y@z;', 'a(b)@c', 'a@b>', 'a@[1.2.3.4]', 'a@1.2'])(
    'names no recipient for %s',
    async (email) => {
      const attempt = notifier.notify('notify-customer', orderOf(email), aStoreProfile());

      await expect(attempt).rejects.toMatchObject({ code: 'EADDRESS' });
      expect(sink.connections).toBe(0);
    },
  );

  it('carries text and HTML', async () => {
    await notifier.notify('notify-merchant', anOrderRecord({ notes: '.\r\n.\r\nQUIT' }), aStoreProfile());

    const { headers, parts } = readMail(sink.mails[0]?.raw ?? '');
    expect(headers.get('subject')).toEqual(['New order WEB-261120-7K3M9Q']);
    expect([...parts.keys()]).toEqual(['text/plain', 'text/html']);
    expect(parts.get('text/plain')).toContain('  .\n  .\n  QUIT\n');
  });

  it('has the same id when it is sent twice', async () => {
    const order = anOrderRecord();

    await notifier.notify('notify-customer', order, aStoreProfile());
    await notifier.notify('notify-customer', order, aStoreProfile());

    expect([...sink.countsByMessageId]).toEqual([[`${order.id}-notify-customer@acme.store-commerce`, 2]]);
  });

  it('keeps its connections until the end, and then closes them', async () => {
    for (let n = 0; n < 3; n++) await notifier.notify('notify-customer', anOrderRecord(), aStoreProfile());
    expect(sink.connections).toBe(1);

    notifier.onApplicationShutdown();

    await expect(notifier.notify('notify-customer', anOrderRecord(), aStoreProfile())).rejects.toMatchObject({
      code: 'ECONNECTION',
    });
  });

  it('says of a failure what it was, and not to whom', async () => {
    sink.behaviour = { kind: 'refuse', at: 'recipient', code: 550 };

    const attempt = notifier.notify('notify-customer', anOrderRecord(), aStoreProfile());

    await expect(attempt).rejects.toThrow(/^The message was not handed over: SMTP_550$/);
  });
});

describe('SmtpDelivery', () => {
  let sink: SmtpSink;
  let delivery: SmtpDelivery;
  beforeEach(async () => {
    sink = await SmtpSink.start();
    delivery = new SmtpDelivery(sink.url, QUICK);
  });
  afterEach(async () => {
    delivery.close();
    await sink.close();
  });

  it.each<[SinkBehaviour, code: string]>([
    [{ kind: 'refuse', at: 'recipient', code: 550 }, 'SMTP_550'],
    [{ kind: 'refuse', at: 'recipient', code: 451 }, 'SMTP_451'],
    [{ kind: 'refuse', at: 'message', code: 554 }, 'SMTP_554'],
    [{ kind: 'refuse', at: 'message', code: 452 }, 'SMTP_452'],
    [{ kind: 'hang', at: 'greeting' }, 'ETIMEDOUT'],
    [{ kind: 'hang', at: 'message' }, 'ETIMEDOUT'],
    [{ kind: 'hang', at: 'delivered' }, 'ETIMEDOUT'],
    [{ kind: 'cut', at: 'greeting' }, 'ECONNECTION'],
    [{ kind: 'cut', at: 'message' }, 'ECONNECTION'],
    [{ kind: 'cut', at: 'delivered' }, 'ECONNECTION'],
  ])('fails in time when the server does %j: %s', async (behaviour, code) => {
    sink.behaviour = behaviour;
    const start = performance.now();

    await expect(delivery.deliver('x', MESSAGE)).rejects.toMatchObject({ name: 'MailFailure', code });

    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('delivers again as soon as the server does its work', async () => {
    sink.behaviour = { kind: 'cut', at: 'greeting' };
    await expect(delivery.deliver('x', MESSAGE)).rejects.toThrow();

    sink.behaviour = { kind: 'accept' };
    await delivery.deliver('x', MESSAGE);

    expect(sink.mails).toHaveLength(1);
  });

  it('takes up a connection again that the server had closed meanwhile', async () => {
    await delivery.deliver('x', MESSAGE);
    sink.cutAll();

    await delivery.deliver('x', MESSAGE);

    expect(sink.mails).toHaveLength(2);
  });

  it('fails at once when nothing listens', async () => {
    const { port } = sink;
    await sink.close();
    const other = new SmtpDelivery(`smtp://user:secret@127.0.0.1:${port}`, QUICK);

    await expect(other.deliver('x', MESSAGE)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'The message was not handed over: ECONNREFUSED',
    });
  });

  it('gives up on a server that is never silent and never done', async () => {
    const sockets: net.Socket[] = [];
    const drip = net.createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.write('220 hello\r\n');
      socket.once('data', async () => {
        while (!socket.destroyed) {
          socket.write('250-more\r\n');
          await wait(50);
        }
      });
    });
    await once(drip.listen(0, '127.0.0.1'), 'listening');
    const slow = new SmtpDelivery(`smtp://127.0.0.1:${(drip.address() as net.AddressInfo).port}`, QUICK);

    await expect(slow.deliver('x', MESSAGE)).rejects.toMatchObject({ code: 'ETIMEDOUT' });

    slow.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => drip.close(resolve));
  });
});

import { once } from 'node:events';
import net from 'node:net';
import { UndeliverableMessage } from '@app/application';
import { SmtpSink, type SinkBehaviour } from '../../support/smtp-sink.js';
import { SmtpDelivery } from '../../../libs/infrastructure/src/mail/smtp-delivery.js';

/** Longer than a server needs on a busy machine. */
const PATIENT = { connectMs: 10_000, greetingMs: 10_000, socketMs: 10_000, attemptMs: 20_000 };
const QUICK = { connectMs: 300, greetingMs: 300, socketMs: 500, attemptMs: 20_000 };
const MESSAGE = {
  from: { name: '', address: 'orders@shops.test' },
  to: { name: '', address: 'ada@example.com' },
  subject: 'Hello',
  text: 'Hello',
};

describe('SmtpDelivery', () => {
  let sink: SmtpSink;
  let delivery: SmtpDelivery;
  beforeEach(async () => {
    sink = await SmtpSink.start();
    delivery = new SmtpDelivery(sink.url, 4, PATIENT);
  });
  afterEach(async () => {
    delivery.close();
    await sink.close();
  });

  it.each<[SinkBehaviour, code: string]>([
    [{ kind: 'refuse', at: 'recipient', code: 451 }, 'SMTP_451'],
    [{ kind: 'refuse', at: 'message', code: 554 }, 'SMTP_554'],
    [{ kind: 'refuse', at: 'message', code: 452 }, 'SMTP_452'],
    [{ kind: 'hang', at: 'greeting' }, 'ETIMEDOUT'],
    [{ kind: 'hang', at: 'message' }, 'ETIMEDOUT'],
    [{ kind: 'hang', at: 'delivered' }, 'ETIMEDOUT'],
    [{ kind: 'cut', at: 'greeting' }, 'ECONNECTION'],
    [{ kind: 'cut', at: 'message' }, 'ECONNECTION'],
    [{ kind: 'cut', at: 'delivered' }, 'ECONNECTION'],
  ])('fails before its time limit when the server does %j: %s', async (behaviour, code) => {
    sink.behaviour = behaviour;
    const own = new SmtpDelivery(sink.url, 4, behaviour.kind === 'hang' ? QUICK : PATIENT);
    const start = performance.now();

    await expect(own.deliver('x', MESSAGE)).rejects.toMatchObject({ name: 'MailFailure', code });

    expect(performance.now() - start).toBeLessThan(QUICK.attemptMs);
    own.close();
  });

  it('tells a recipient that the server refuses for good from a failure of the server', async () => {
    sink.behaviour = { kind: 'refuse', at: 'recipient', code: 550 };

    const attempt = delivery.deliver('x', MESSAGE);

    await expect(attempt).rejects.toMatchObject({ name: 'RecipientRefused', code: 'SMTP_550' });
    await expect(attempt).rejects.toBeInstanceOf(UndeliverableMessage);
  });

  it('delivers again as soon as the server recovers', async () => {
    sink.behaviour = { kind: 'cut', at: 'greeting' };
    await expect(delivery.deliver('x', MESSAGE)).rejects.toThrow();

    sink.behaviour = { kind: 'accept' };
    await delivery.deliver('x', MESSAGE);

    expect(sink.mails).toHaveLength(1);
  });

  it('reconnects when the server has closed an idle connection', async () => {
    await delivery.deliver('x', MESSAGE);
    sink.cutAll();

    await delivery.deliver('x', MESSAGE);

    expect(sink.mails).toHaveLength(2);
  });

  it('fails at once when no server listens', async () => {
    const { port } = sink;
    await sink.close();
    const other = new SmtpDelivery(`smtp://user:secret@127.0.0.1:${port}`, 4, QUICK);

    await expect(other.deliver('x', MESSAGE)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'The message was not handed over: ECONNREFUSED',
    });
  });

  it('times out on a server that trickles its answer without end', async () => {
    const sockets: net.Socket[] = [];
    const drip = net.createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.write('220 hello\r\n');
      const dripping = setInterval(() => socket.write('250-more\r\n'), 50);
      socket.once('close', () => clearInterval(dripping));
    });
    await once(drip.listen(0, '127.0.0.1'), 'listening');
    const slow = new SmtpDelivery(`smtp://127.0.0.1:${(drip.address() as net.AddressInfo).port}`, 4, {
      ...QUICK,
      attemptMs: 1_000,
    });

    await expect(slow.deliver('x', MESSAGE)).rejects.toMatchObject({ code: 'ETIMEDOUT' });

    slow.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => drip.close(resolve));
  });
});

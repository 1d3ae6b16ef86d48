import { once } from 'node:events';
import net from 'node:net';
import { UndeliverableMessage } from '@app/application';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SmtpSink, type SinkBehaviour } from '../../support/smtp-sink.js';
import { SmtpDelivery } from '../../../libs/infrastructure/src/mail/smtp-delivery.js';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { Config } from '../../../libs/infrastructure/src/platform/config.js';
import { MailNotifier } from '../../../libs/infrastructure/src/mail/mail-notifier.js';
import { readMail } from '../../support/mail-message.js';

/** The limits exceed what a server needs on a busy machine. */
const PATIENT = { connectMs: 10_000, greetingMs: 10_000, socketMs: 10_000, attemptMs: 20_000 };
const QUICK = { connectMs: 300, greetingMs: 300, socketMs: 500, attemptMs: 20_000 };
const MESSAGE = {
  from: { name: '', address: 'orders@shops.test' },
  to: { name: '', address: 'ada@example.com' },
  subject: 'Hello',
  text: 'Hello',
};

describe('MailNotifier', () => {
  it('sends a code while order mails to servers that answer slowly have their connections', async () => {
    const sink = await SmtpSink.start();
    const notifier = new MailNotifier(new Config({ SMTP_URL: sink.url, WORKER_CONCURRENCY: '1' }));
    sink.behaviour = { kind: 'hang', at: 'message' };
    const ofOrder = notifier.notify('notify-customer', anOrderRecord(), aStoreProfile()).catch(() => undefined);
    await vi.waitFor(() => expect(sink.recipients).toHaveLength(1), 5_000);

    const to = { name: '', address: 'owner@example.com' };
    const code = notifier.send(null, 'sign-in-1', to, { subject: 'Code', text: 'ABCD-EFGH' }).catch(() => undefined);

    await vi.waitFor(() => expect(sink.recipients).toContain('owner@example.com'), 5_000);
    notifier.onApplicationShutdown();
    await sink.close();
    await Promise.all([ofOrder, code]);
  });
});

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

describe('MailNotifier by SMTP', () => {
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
    ['ada@example.com', false],
    ["o'hara+x=y@example.com", false],
    ['a{b}|c@example.com', false],
    // The service sends the domain in ASCII; the test's server decodes it.
    ['ada@bücher.example', false],
    ['дарья@example.com', true],
  ])('sends to exactly one recipient, %s', async (email, smtpUtf8) => {
    await notifier.notify('notify-customer', orderOf(email), aStoreProfile());

    expect(sink.recipients).toEqual([email]);
    expect(sink.mails).toEqual([expect.objectContaining({ from: 'orders@shops.test', to: [email], smtpUtf8 })]);
  });

  it('keeps its connections open until shutdown, then closes them', async () => {
    for (let n = 0; n < 3; n++) await notifier.notify('notify-customer', anOrderRecord(), aStoreProfile());
    expect(sink.connections).toBe(1);

    notifier.onApplicationShutdown();

    await expect(notifier.notify('notify-customer', anOrderRecord(), aStoreProfile())).rejects.toMatchObject({
      code: 'ECONNECTION',
    });
  });
});

describe('MailNotifier without a mail server', () => {
  let dataDir: string;
  const folder = () => path.join(dataDir, 'mail');
  beforeEach(async () => (dataDir = await mkdtemp(path.join(tmpdir(), 'mail-'))));
  afterEach(() => rm(dataDir, { recursive: true }));

  const notifier = (env: Record<string, string> = {}) => new MailNotifier(new Config({ DATA_DIR: dataDir, ...env }));
  const written = async (name: string) => readMail(await readFile(path.join(folder(), name), 'utf8'));

  it('writes a message of text and HTML that a mail program opens, and only its owner', async () => {
    const order = anOrderRecord({ customer: { name: 'Zoë "Z", <x>', email: 'zoe@example.com', phone: '' } });

    await notifier({ MAIL_FROM: 'Shops <orders@shops.test>' }).notify('notify-customer', order, aStoreProfile());

    const name = `acme-${order.id}-notify-customer.eml`;
    expect((await stat(path.join(folder(), name))).mode & 0o777).toBe(0o600);
    const { headers, parts } = await written(name);
    expect(Object.fromEntries(headers)).toMatchObject({
      from: ['Acme <orders@shops.test>'],
      to: ['Zoë "Z", <x> <zoe@example.com>'],
      'reply-to': ['Acme <hello@acme.test>'],
      subject: ['Your order WEB-261120-7K3M9Q at Acme'],
      'message-id': [`<${order.id}-notify-customer@acme.store-commerce>`],
      'auto-submitted': ['auto-generated'],
      'mime-version': ['1.0'],
      'content-type': [expect.stringMatching(/^multipart\/alternative;/)],
    });
    expect([...parts.keys()]).toEqual(['text/plain', 'text/html']);
    expect(parts.get('text/plain')).toContain('Hello Zoë "Z", <x>,\n');
    expect(parts.get('text/html')).toMatch(/^<!doctype html>[^]*Zoë &quot;Z&quot;, &lt;x&gt;[^]*<\/html>\s*$/);
  });

  it('writes only to its directory, even with hostile names', async () => {
    const order = anOrderRecord({ id: '../../x\r\nBcc: a@b.cd' });

    await notifier().notify('notify-customer', order, aStoreProfile({ subdomain: 'a>\r\nBcc: evil@b.cd' }));

    const [name = ''] = await readdir(folder());
    const { headers } = await written(name);
    expect(headers.get('bcc')).toBeUndefined();
    expect(headers.get('message-id')).toEqual([
      '<------x--bcc--a-b-cd-notify-customer@a---bcc--evil-b-cd.store-commerce>',
    ]);
  });

  it('writes only its own headers, even with hostile texts', async () => {
    const attack = 'x\r\nBcc: evil@example.com\r\n\r\nbody';
    const order = anOrderRecord({
      receiptNumber: attack,
      customer: { name: attack, email: 'ada@example.com', phone: attack },
      notes: attack,
    });

    await notifier().notify('notify-customer', order, aStoreProfile({ name: attack }));

    const { headers } = await written(`acme-${order.id}-notify-customer.eml`);
    expect([...headers.keys()].sort()).toEqual(
      'auto-submitted,content-type,date,from,message-id,mime-version,reply-to,subject,to'.split(','),
    );
    expect([...headers.values()].every((values) => values.length === 1)).toBe(true);
  });

  it.each([
    ['base64', '=?utf-8?B?QQ0KQmNjOiBldmlsQHgudGVzdA==?='],
    ['quoted-printable', 'Ada =?utf-8?q?=0D=0ABcc:_evil@x.test?= Lovelace'],
    ['a long word', `=?utf-8?B?${Buffer.from('x\r\nBcc: evil@x.test'.repeat(3)).toString('base64')}?=`],
    ['another charset', '=?iso-8859-1?q?=0D=0ABcc:_evil@x.test?= Zoë'],
    ['a broken word', '=?utf-8?q?a'],
  ])('delivers a name that contains an encoded word of %s literally', async (_what, name) => {
    const order = anOrderRecord({ customer: { name, email: 'ada@example.com', phone: '' } });
    const store = aStoreProfile({ name });
    const mail = notifier({ MAIL_FROM: `"${name}" <orders@shops.test>` });

    await mail.notify('notify-customer', order, store);
    await mail.notify('notify-merchant', order, store);

    const confirmation = (await written(`acme-${order.id}-notify-customer.eml`)).headers;
    const notice = (await written(`acme-${order.id}-notify-merchant.eml`)).headers;
    expect(confirmation.get('to')).toEqual([`${name} <ada@example.com>`]);
    expect(confirmation.get('from')).toEqual([`${name} <orders@shops.test>`]);
    expect(confirmation.get('subject')).toEqual([`Your order WEB-261120-7K3M9Q at ${name}`]);
    expect(notice.get('from')).toEqual([`${name} <orders@shops.test>`]);
    expect(notice.get('reply-to')).toEqual([`${name} <ada@example.com>`]);
  });
});

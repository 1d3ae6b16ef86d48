import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UndeliverableMessage, type Notifier } from '@app/application';
import { Config } from '@app/infrastructure';
// Imports the adapter directly, because the contract of one port does not need the module that binds all ports.
import { MailNotifier } from '../../libs/infrastructure/src/mail/mail-notifier.js';
import { anOrderRecord, aStoreProfile } from '../builders/order-record.js';
import { readMail } from '../support/mail-message.js';
import { SmtpSink } from '../support/smtp-sink.js';

interface Post {
  readonly notifier: Notifier;
  /** The mails that have arrived, as `recipient id`, sorted. Mails with the same id count once. */
  arrived(): Promise<string[]>;
  close(): Promise<void>;
}

const ADAPTERS: [name: string, open: () => Promise<Post>][] = [
  ['by SMTP', openSmtp],
  ['as files', openFiles],
];

describe.each(ADAPTERS)('Notifier %s', (_name, open) => {
  const store = aStoreProfile();
  let post: Post;
  beforeEach(async () => (post = await open()));
  afterEach(() => post.close());

  it("sends one mail to the customer and one to the store's contact, with different ids", async () => {
    const order = anOrderRecord();

    await post.notifier.notify('notify-customer', order, store, '');
    await post.notifier.notify('notify-merchant', order, store, '');

    expect(await post.arrived()).toEqual([
      `ada@example.com ${order.id}-notify-customer@acme.store-commerce`,
      `hello@acme.test ${order.id}-notify-merchant@acme.store-commerce`,
    ]);
  });

  it('gives the mails of different orders different ids', async () => {
    await post.notifier.notify('notify-customer', anOrderRecord(), store, '');
    await post.notifier.notify('notify-customer', anOrderRecord(), store, '');

    expect(await post.arrived()).toHaveLength(2);
  });

  it('repeats a mail with the same id', async () => {
    const order = anOrderRecord();

    await post.notifier.notify('notify-customer', order, store, '');
    await post.notifier.notify('notify-customer', order, store, '');

    expect(await post.arrived()).toHaveLength(1);
  });

  it.each([
    ['notify-shipment', ['S/1', 'S-1', 's-1']],
    ['notify-cancellation', ['']],
    ['notify-refund', ['R 1', 'r 1']],
  ] as const)('sends the mails of %s to the customer, one for each reference', async (stage, references) => {
    const parcel = { items: [{ line: 1, quantity: 1 }], carrier: '', trackingNumber: '', trackingUrl: '' };
    const order = anOrderRecord({
      shipments: references.map((reference) => {
        return { ...parcel, reference, status: 'shipped', shippedAt: new Date(), deliveredAt: null };
      }),
      refunds: references.map((reference) => ({ reference, amount: 100, at: new Date() })),
    });

    for (const reference of [...references, ...references]) await post.notifier.notify(stage, order, store, reference);

    const arrived = await post.arrived();
    expect(arrived).toHaveLength(references.length);
    for (const mail of arrived) expect(mail).toMatch(new RegExp(`^ada@example.com ${order.id}-${stage}`));
  });

  it('sends nothing without an address', async () => {
    const order = anOrderRecord({ customer: { name: 'Ada', email: '', phone: '' } });

    await post.notifier.notify('notify-customer', order, store, '');
    await post.notifier.notify('notify-merchant', order, aStoreProfile({ contact: {} }), '');

    expect(await post.arrived()).toEqual([]);
  });

  it('throws UndeliverableMessage and sends no mail when the address is invalid', async () => {
    const order = anOrderRecord({ customer: { name: 'Ada', email: 'a,b@example.com', phone: '' } });

    const attempt = post.notifier.notify('notify-customer', order, store, '');

    await expect(attempt).rejects.toMatchObject({ code: 'EADDRESS' });
    await expect(attempt).rejects.toBeInstanceOf(UndeliverableMessage);

    expect(await post.arrived()).toEqual([]);
  });
});

async function openSmtp(): Promise<Post> {
  const sink = await SmtpSink.start();
  const notifier = new MailNotifier(new Config({ SMTP_URL: sink.url }));
  return {
    notifier,
    arrived: () => Promise.resolve(distinct(sink.mails.map(({ to, messageId }) => `${to.join()} ${messageId}`))),
    close: async () => {
      notifier.onApplicationShutdown();
      await sink.close();
    },
  };
}

async function openFiles(): Promise<Post> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mail-'));
  const folder = path.join(dataDir, 'mail');
  return {
    notifier: new MailNotifier(new Config({ DATA_DIR: dataDir })),
    arrived: async () => {
      const names = await readdir(folder).catch(() => []);
      const files = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
      return files
        .map((file) => readMail(file).headers)
        .map((headers) => [headers.get('to'), headers.get('message-id')].join(' '))
        .map((line) => line.replace(/^.*<(\S+)> <(\S+)>$/, '$1 $2'))
        .sort();
    },
    close: () => rm(dataDir, { recursive: true }),
  };
}

function distinct(lines: string[]): string[] {
  return [...new Set(lines)].sort();
}

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { readMail } from '../../support/mail-message.js';
import { Config, ConfigError } from '../../../libs/infrastructure/src/platform/config.js';
import { MailNotifier } from '../../../libs/infrastructure/src/mail/mail-notifier.js';

describe('MailNotifier without a mail server', () => {
  let dataDir: string;
  const folder = () => path.join(dataDir, 'mail');
  beforeEach(async () => (dataDir = await mkdtemp(path.join(tmpdir(), 'mail-'))));
  afterEach(() => rm(dataDir, { recursive: true }));

  const notifier = (env: Record<string, string> = {}) => new MailNotifier(new Config({ DATA_DIR: dataDir, ...env }));
  const written = async (name: string) => readMail(await readFile(path.join(folder(), name), 'utf8'));

  it('writes a message of text and HTML that a mail program opens', async () => {
    const order = anOrderRecord({ customer: { name: 'Zoë "Z", <x>', email: 'zoe@example.com', phone: '' } });

    await notifier({ MAIL_FROM: 'Shops <orders@shops.test>' }).notify('notify-customer', order, aStoreProfile());

    const { headers, parts } = await written(`acme-${order.id}-notify-customer.eml`);
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

  it('leaves one complete file per order and stage, readable by its owner only', async () => {
    const order = anOrderRecord();
    const mail = notifier();

    await Promise.all([1, 2, 3].map(() => mail.notify('notify-customer', order, aStoreProfile())));
    await mail.notify('notify-merchant', order, aStoreProfile());

    const names = (await readdir(folder())).sort();
    expect(names).toEqual([`acme-${order.id}-notify-customer.eml`, `acme-${order.id}-notify-merchant.eml`]);
    expect((await stat(path.join(folder(), names[0] ?? ''))).mode & 0o777).toBe(0o600);
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

  it.each(['nobody', 'a@b.cd, c@d.ef', 'A <a@b', 'a@b@c'])('does not start with MAIL_FROM %j', (mailFrom) => {
    expect(() => notifier({ MAIL_FROM: mailFrom })).toThrow(ConfigError);
  });
});

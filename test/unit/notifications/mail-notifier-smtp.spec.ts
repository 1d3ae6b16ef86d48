import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { SmtpSink } from '../../support/smtp-sink.js';
import { Config } from '../../../libs/infrastructure/src/platform/config.js';
import { MailNotifier } from '../../../libs/infrastructure/src/mail/mail-notifier.js';

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

  it.each([
    'a,b@c',
    'a@b,c',
    ';@x',
    '<x>@y',
    '"a"@b',
    'x:y@z;',
    'a(b)@c',
    'a@b>',
    'a@[1.2.3.4]',
    'a@1.2',
    '=?utf-8?q?a?=@b.test',
  ])('sends to no recipient for %s', async (email) => {
    const attempt = notifier.notify('notify-customer', orderOf(email), aStoreProfile());

    await expect(attempt).rejects.toMatchObject({ code: 'EADDRESS' });
    expect(sink.connections).toBe(0);
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

import { UndeliverableMessage } from '@app/application';
import { MailFailure } from './mail-failure.js';
import { pausedWebhookMail } from './paused-webhook-mail.js';

describe('MailFailure', () => {
  it.each([
    [{ code: 'EENVELOPE', responseCode: 550 }, 'SMTP_550'],
    [{ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'ECONNREFUSED'],
    [{ code: 'ECONNECTION' }, 'ECONNECTION'],
    [{ code: 'EABORT' }, 'ETIMEDOUT'],
    [{ code: 'to ada@example.com' }, 'EMAIL'],
    [{}, 'EMAIL'],
  ])('knows %j as %s', (fields, code) => {
    expect(MailFailure.of(Object.assign(new Error(), fields)).code).toBe(code);
  });

  it.each([
    [{ responseCode: 550, response: '550 no such user' }, true],
    [{ responseCode: 550, response: '550-5.1.1 no such user' }, true],
    [{ responseCode: 552, response: '552 5.2.2 mailbox full' }, true],
    [{ responseCode: 551, response: '551 user not local' }, true],
    [{ responseCode: 553, response: '553 mailbox name not allowed' }, true],
    [{ responseCode: 501, response: '501 5.1.3 bad recipient address syntax' }, true],
    [{ responseCode: 550, response: '550 5.1.2 bad destination host' }, true],
    [{ responseCode: 556, response: '556 5.1.10 recipient address has null MX' }, true],
    [{ responseCode: 550, response: '550 5.1.8 sender address rejected: domain not found' }, false],
    [{ responseCode: 553, response: '553 5.1.7 sender address rejected: not owned by user' }, false],
    [{ responseCode: 550, response: '550 5.1.0 sender address rejected: user unknown' }, false],
    [{ responseCode: 504, response: '504 5.5.2 helo command rejected' }, false],
    [{ responseCode: 550, response: '550-5.5.1 helo command rejected' }, false],
    [{ responseCode: 552, response: '552 5.3.4 message size exceeds fixed limit' }, false],
    [{ responseCode: 550, response: '550 5.4.1 recipient address rejected: access denied' }, false],
    [{ responseCode: 500, response: '500 unrecognized command' }, false],
    [{ responseCode: 501, response: '501 syntax error in parameters' }, false],
    [{ responseCode: 554, response: '554 no SMTP service here' }, false],
    [{ responseCode: 554, response: '554 5.7.1 Relay access denied' }, false],
    [{ responseCode: 530, response: '530 Authentication required' }, false],
    [{ responseCode: 503, response: '503 bad sequence of commands' }, false],
    [{ responseCode: 451, response: '451 4.2.1 try again later' }, false],
    [{ responseCode: 550, response: '550 5.1.1 no such sender', command: 'MAIL FROM' }, false],
    [{ responseCode: 554, response: '554 rejected as spam', command: 'DATA' }, false],
  ])('tells from %j whether the recipient is refused for good: %s', (fields, isOfRecipient) => {
    const failure = MailFailure.of(Object.assign(new Error(), { command: 'RCPT TO', ...fields }));

    expect(failure instanceof UndeliverableMessage).toBe(isOfRecipient);
    expect(failure.code).toBe(`SMTP_${fields.responseCode}`);
  });

  it("keeps no part of the server's answer", () => {
    const failure = MailFailure.of(Object.assign(new Error('<ada@example.com> unknown'), { responseCode: 550 }));

    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('ada@');
    expect(failure.cause).toBeUndefined();
  });
});

const ID = '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60';
const PAUSED = {
  ...({ id: ID, mode: 'live', host: 'erp.example', reason: 'failing' } as const),
  failingSince: '2026-11-20T09:30:00+00:00',
};

describe('the mail of a paused webhook', () => {
  it('names the receiver, the beginning of its failures, and the way to resume it', () => {
    const mail = pausedWebhookMail(PAUSED, 'Europe/Berlin');

    expect(mail.subject).toBe('The webhook to erp.example is paused');
    expect(mail.text).toContain('the receiver has accepted no message since 2026-11-20 10:30 Europe/Berlin.');
    expect(mail.text).toContain(`POST /v1/webhooks/${ID}/resume`);
  });

  it('says of a webhook whose place has expired to read the feed before it is replayed', () => {
    const { text } = pausedWebhookMail({ ...PAUSED, reason: 'cursor_expired' }, 'UTC');

    expect(text).toMatch(/is too old\.\n[^]*from the beginning, replay.*\/replay\)/);
  });

  it('marks a webhook of test orders', () => {
    expect(pausedWebhookMail({ ...PAUSED, mode: 'test' }, 'UTC').subject).toMatch(/^\[TEST\] /);
  });
});

import { pausedWebhookMail } from './paused-webhook-mail.js';

const ID = '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60';
const PAUSED = {
  ...({ id: ID, mode: 'live', host: 'erp.example', reason: 'failing' } as const),
  failingSince: '2026-11-20T09:30:00+00:00',
};

describe('the mail of a paused webhook', () => {
  it('names the receiver, the beginning of its failures, and the way to resume it', () => {
    const mail = pausedWebhookMail(PAUSED);

    expect(mail.subject).toBe('The webhook to erp.example is paused');
    expect(mail.text).toContain('no message was accepted since 2026-11-20T09:30:00.000Z.');
    expect(mail.text).toContain(`POST /v1/webhooks/${ID}/resume`);
  });

  it('says of a webhook whose place has expired to read the feed before it is replayed', () => {
    const { text } = pausedWebhookMail({ ...PAUSED, reason: 'cursor_expired' });

    expect(text).toMatch(/no longer kept\.\n[^]*from the feed, replay.*\/replay\)/);
  });

  it('marks a webhook of test orders', () => {
    expect(pausedWebhookMail({ ...PAUSED, mode: 'test' }).subject).toMatch(/^\[TEST\] /);
  });
});

import type { ApiKeyMode, PauseReason } from '@app/domain';
import { localTime } from './order-facts.js';

export interface PausedWebhook {
  readonly id: string;
  readonly mode: ApiKeyMode;
  /** The host of the webhook's URL. The path is omitted because it may contain a secret. */
  readonly host: string;
  readonly reason: PauseReason;
  readonly failingSince: string | null;
}

const REASONS: Readonly<Record<PauseReason, string>> = {
  requested: 'because a client or an operator paused it',
  gone: 'because the receiver answered 410 (Gone)',
  failing: 'because the receiver has accepted no message',
  cursor_expired: 'because its position in the feed is too old',
};

export function pausedWebhookMail({ id, mode, host, reason, failingSince }: PausedWebhook, timeZone: string) {
  const mark = mode === 'test' ? '[TEST] ' : '';
  const since = reason === 'failing' && failingSince ? ` since ${localTime(new Date(failingSince), timeZone)}` : '';
  const path = `/v1/webhooks/${id}`;
  const next =
    reason === 'cursor_expired'
      ? `Let the receiver read the feed again from the beginning, replay the webhook from the time when that read began ` +
        `(POST ${path}/replay), and resume it (POST ${path}/resume).`
      : `No changes are lost. When the receiver works again, resume the webhook (POST ${path}/resume, or \`webhooks resume ` +
        `${id}\`): sending continues where it stopped.`;
  return {
    subject: `${mark}The webhook to ${host} is paused`,
    text: [
      `The webhook ${id} to ${host} is paused, ${REASONS[reason]}${since}.`,
      `GET ${path} shows the last attempts and their responses.`,
      next,
    ].join('\n\n'),
  };
}

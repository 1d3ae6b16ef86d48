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
  gone: 'because the receiver answered 410: it wants no more messages',
  failing: 'because no message was accepted',
  cursor_expired: 'because deletions after its place are no longer kept',
};

export function pausedWebhookMail({ id, mode, host, reason, failingSince }: PausedWebhook, timeZone: string) {
  const mark = mode === 'test' ? '[TEST] ' : '';
  const since = reason === 'failing' && failingSince ? ` since ${localTime(new Date(failingSince), timeZone)}` : '';
  const path = `/v1/webhooks/${id}`;
  const next =
    reason === 'cursor_expired'
      ? `Let the receiver read everything again from the feed, replay the webhook from the time at which it began ` +
        `(POST ${path}/replay), and resume it (POST ${path}/resume).`
      : `Nothing is lost. When the receiver works again, resume the webhook (POST ${path}/resume, or \`webhooks resume ` +
        `${id}\`): it continues where it stopped.`;
  return {
    subject: `${mark}The webhook to ${host} is paused`,
    text: [
      `The webhook ${id} to ${host} is paused, ${REASONS[reason]}${since}.`,
      `GET ${path} shows its last attempts and what was answered.`,
      next,
    ].join('\n\n'),
  };
}

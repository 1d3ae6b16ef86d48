import type { PauseReason } from '@app/domain';

/** A webhook that the service has paused. */
export interface PausedWebhook {
  readonly id: string;
  /** Of its URL. */
  readonly host: string;
  readonly reason: PauseReason;
}

const REASONS: Readonly<Record<PauseReason, string>> = {
  requested: 'because somebody asked for it',
  gone: 'because the receiver answered 410: it wants no more messages',
  failing: 'because no message was accepted for three days',
  cursor_expired: 'because deletions after its place are no longer kept',
};

/** Tells the merchant which system hears nothing any more, and how it goes on. */
export function pausedWebhookMail({ id, host, reason }: PausedWebhook) {
  const next =
    reason === 'cursor_expired'
      ? 'Let the receiver read everything again from the feed, then replay the webhook from a time.'
      : 'Nothing is lost: resume it when the receiver works again, and it goes on where it stopped.';
  return {
    subject: `The webhook to ${host} is paused`,
    text: [`The webhook ${id} to ${host} is paused, ${REASONS[reason]}.`, next].join('\n\n'),
  };
}

import { webhookCursor, type Delivery, type Webhook } from '@app/application';
import { printJson, say } from './output.js';

interface Shown {
  readonly store: string;
  readonly deliveries: readonly Delivery[];
}

/** Prints a webhook with its new secret, the only time that this is shown. */
export function printNewSecret({ secret, ...webhook }: Webhook & { readonly secret: string }, shown: Shown): void {
  say('Keep the secret in a safe place: it cannot be shown again.');
  const { id, ...rest } = webhookWithDeliveries(webhook, shown);
  printJson({ id, secret, ...rest });
}

export function webhookWithDeliveries(webhook: Webhook, { store, deliveries }: Shown) {
  return {
    ...webhookJson(webhook, store),
    last_deliveries: deliveries.map(({ messageId, type, at, phase, status, durationMs, answer }) => ({
      ...{ message_id: messageId, type, at, phase, status, duration_ms: durationMs, answer },
    })),
  };
}

/** The shape of the API, with the store. */
export function webhookJson(webhook: Webhook, store: string) {
  return {
    id: webhook.id,
    store,
    url: webhook.url,
    kinds: webhook.kinds,
    body: webhook.body,
    batch: webhook.batch,
    mode: webhook.mode,
    state: webhook.state,
    reason: webhook.reason ?? '',
    cursor: webhookCursor(webhook, webhook.place),
    lag_seconds: Math.floor(webhook.lagSeconds),
    failing_since: webhook.failingSince,
    next_attempt_at: webhook.nextAttemptAt,
    created_at: webhook.createdAt,
  };
}

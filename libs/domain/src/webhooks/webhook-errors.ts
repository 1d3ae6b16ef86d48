import { rejected } from '../shared/domain-error.js';

/** @param problem such as `must begin with https://`. */
export const UrlNotAllowed = rejected('url_not_allowed', (problem: string) => `url ${problem}`);

export const TooManyWebhooks = rejected(
  'too_many_webhooks',
  (most: number) => `A store can have at most ${most} webhooks per mode`,
);

export const WebhookDeleted = rejected(
  'idempotency_mismatch',
  'The webhook of this idempotency key was deleted: send another key',
);

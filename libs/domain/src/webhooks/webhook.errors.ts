import { DomainError } from '../shared/domain-error.js';

/** A webhook never delivers to this URL. */
export class UrlNotAllowed extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'url_not_allowed';

  /** @param problem such as `must begin with https://`. */
  constructor(problem: string) {
    super(`url ${problem}`);
  }
}

/** The store has as many webhooks as it may. */
export class TooManyWebhooks extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'too_many_webhooks';

  constructor(most: number) {
    super(`A store has at most ${most} webhooks in each mode`);
  }
}

/** The request with the idempotency key installed a webhook that is deleted. */
export class WebhookDeleted extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'idempotency_mismatch';

  constructor() {
    super('The webhook of this key is deleted: use another key');
  }
}

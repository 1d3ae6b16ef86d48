import { DomainError, type ApiKeyMode } from '@app/domain';

/** The scope within which an idempotency key is unique. */
export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

/** A request that carries an idempotency key. */
export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  /** SHA-256 of the validated request. */
  readonly requestHash: Buffer;
}

export class IdempotencyInFlight extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'idempotency_in_flight';

  constructor() {
    super('A request with this key is still being processed');
  }
}

export class IdempotencyMismatch extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'idempotency_mismatch';

  constructor() {
    super('This key was used with a different request');
  }
}

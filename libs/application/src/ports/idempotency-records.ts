import { DomainError, type ApiKeyMode } from '@app/domain';

/** What a client's Idempotency-Key is unique in. */
export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

/** The outcome of the request that first used a key. */
export interface IdempotencyRecord {
  /** SHA-256 of the validated request. */
  readonly requestHash: Buffer;
  /** The response, byte for byte. */
  readonly response: Buffer;
}

/** Answers kept for replay. Only those of requests that succeeded are. */
export abstract class IdempotencyRecords {
  abstract find(scope: IdempotencyScope): Promise<IdempotencyRecord | null>;
}

/** The write side, within a transaction. */
export abstract class IdempotencyClaims {
  /**
   * Claims the key for this transaction. Waits up to 2 s for another that holds it.
   *
   * @returns null when the key is now ours; the other's record when it committed.
   * @throws IdempotencyInFlight when the other is still running after that.
   */
  abstract claim(scope: IdempotencyScope, requestHash: Buffer): Promise<IdempotencyRecord | null>;

  /** Completes the claim with the response to replay. */
  abstract store(scope: IdempotencyScope, response: Buffer): Promise<void>;
}

export class IdempotencyInFlight extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'idempotency_in_flight';

  constructor() {
    super('A request with this Idempotency-Key is still being processed');
  }
}

export class IdempotencyMismatch extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'idempotency_mismatch';

  constructor() {
    super('This Idempotency-Key was used with a different request');
  }
}

import type { ApiKeyMode } from '@app/domain';

export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  /** The {@link canonicalHash} of the request as received. */
  readonly requestHash: Buffer;
}

import type { ApiKeyMode } from '@app/domain';

export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  /** {@link canonicalHash} of the request as it came. */
  readonly requestHash: Buffer;
}

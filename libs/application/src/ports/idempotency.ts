import type { ApiKeyMode } from '@app/domain';

export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  /** SHA-256 of the validated request. */
  readonly requestHash: Buffer;
}

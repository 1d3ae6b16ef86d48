import type { ApiKeyRecord } from '@app/application';
import { printJson, say } from './output.js';

export function printNewKey(record: ApiKeyRecord, key: string, store: string, more: object = {}): void {
  say('Keep the key in a safe place: it cannot be shown again.');
  const { id, ...rest } = keyJson(record, store);
  printJson({ id, key, ...rest, ...more });
}

export const isExpired = ({ expiresAt }: ApiKeyRecord): boolean => expiresAt !== null && expiresAt <= new Date();

/** Lists every field: neither the key nor its hash may be among them. */
export function keyJson(record: ApiKeyRecord, store: string) {
  return {
    id: record.id,
    mode: record.mode,
    scope: record.scope,
    networks: record.networks,
    trusted: record.trusted,
    name: record.name,
    store,
    status: record.status,
    prefix: record.prefix,
    last_four: record.lastFour,
    expires_at: record.expiresAt,
    expired: isExpired(record),
    last_used_at: record.lastUsedAt,
    created_at: record.createdAt,
  };
}

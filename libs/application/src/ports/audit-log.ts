import type { Actor } from '@app/domain';
import { actorOf, type ApiKeyLookup } from './api-key.repository.js';

export const AUDIT_RETENTION_DAYS = 400;

/** What entries record. The part before the point names what it is about. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.rolled',
  'key.activated',
  'key.deactivated',
  'key.revoked',
  'person.added',
  'person.changed',
  'person.invited',
  'person.removed',
  'session.ended',
  'sign_in.succeeded',
  'sign_in.failed',
  'prices.changed',
  'price_list.created',
  'price_list.changed',
  'price_list.deleted',
  'import.written',
  'webhook.created',
  'webhook.changed',
  'webhook.paused',
  'webhook.resumed',
  'webhook.replayed',
  'webhook.secret_rotated',
  'webhook.deleted',
  'customer.exported',
  'customer.erased',
  'settings.changed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_SUBJECTS = [
  'key',
  'person',
  'prices',
  'price_list',
  'import',
  'webhook',
  'customer',
  'settings',
] as const;

/** Who makes a change, and from where. */
export interface ChangeOrigin {
  readonly actor: Actor;
  /** The address of the client; null for commands and for the service itself. */
  readonly address: string | null;
}

export function originOf(key: ApiKeyLookup): ChangeOrigin {
  return { actor: actorOf(key), address: key.address };
}

export interface AuditEvent {
  readonly action: AuditAction;
  readonly subject: {
    readonly kind: (typeof AUDIT_SUBJECTS)[number];
    /** The id or code; `''` when the subject has none. */
    readonly id: string;
    readonly name: string;
  };
  /**
   * The values before and after, by field. They contain no secret, and no personal data of customers.
   */
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
}

export interface AuditEntry extends AuditEvent, ChangeOrigin {
  readonly at: Date;
  readonly place: AuditPlace;
}

/** The position of an entry in the list. */
export interface AuditPlace {
  readonly at: Date;
  readonly id: string;
}

export interface AuditFilter {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** The id of a key or person, or the type of an actor without id, such as `operator`. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The id or code of a subject. */
  readonly subject?: string | undefined;
}

/**
 * The entries about who changed what. The adapter that makes a change adds its entry in the same transaction, so that
 * neither exists without the other.
 */
export abstract class AuditLog {
  /** Lists entries, newest first. @param after lists those that are older than this place. */
  abstract list(
    storeId: number,
    filter: AuditFilter,
    page: { readonly limit: number; readonly after?: AuditPlace },
  ): Promise<{ readonly rows: readonly AuditEntry[]; readonly hasMore: boolean }>;
}

import { MAX_REQUESTS, MAX_REQUESTS_OF_STORE } from '@app/application';
import { IMPORT_PATH } from '../../body/body-limits.js';

type Kind = keyof typeof MAX_REQUESTS;

/** Probes and metrics must answer under overload. They use no connection of the pool. */
const UNLIMITED = /^\/(?:health|metrics)(?:[/?]|$)/;

const IMPORT = new RegExp(`^${IMPORT_PATH}(?:[/?]|$)`);

const SIGN_IN = /^\/dashboard\//;

/** The slot of a request. It can be released only once. */
export interface Slot {
  /**
   * Counts the slot for the store of the request, which is known once its key is.
   * @returns false when the store already has its maximum.
   */
  tryAssign(storeId: number): boolean;
  leave(): void;
}

/** The slots of a store, and the credentials of the requests that took them. */
interface StoreSlots {
  readonly id: number;
  taken: number;
  readonly credentials: Set<string>;
}

export class ConcurrencyLimit {
  private readonly stores = new Map<number, StoreSlots>();
  /** Keyed by credentials: while a store has slots, the store of a request is known before its key look-up. */
  private readonly storeOf = new Map<string, StoreSlots>();
  taken = 0;

  constructor(readonly kind: Kind) {}

  /** @param authorization the header of the request. */
  isFullFor(authorization = ''): boolean {
    return this.taken >= MAX_REQUESTS[this.kind] || this.isFullOf(this.storeOf.get(authorization));
  }

  /** @returns null, without taking a slot, when the limit is reached for the request. */
  tryEnter(authorization = ''): Slot | null {
    if (this.isFullFor(authorization)) return null;
    this.taken++;
    let store = this.storeOf.get(authorization);
    if (store) store.taken++;
    return {
      tryAssign: (storeId) => {
        if (store) return true;
        const slots = this.stores.get(storeId) ?? { id: storeId, taken: 0, credentials: new Set() };
        if (this.isFullOf(slots)) return false;
        store = slots;
        store.taken++;
        this.stores.set(storeId, store);
        // The number of credentials is limited, and so is their memory: a header cannot be longer than a head.
        if (authorization && store.credentials.size < MAX_REQUESTS_OF_STORE[this.kind]) {
          this.storeOf.set(authorization, store);
          store.credentials.add(authorization);
        }
        return true;
      },
      leave: () => {
        this.taken--;
        if (store) this.leave(store);
      },
    };
  }

  private isFullOf(slots: StoreSlots | undefined): boolean {
    // @protects slots-of-store
    return (slots?.taken ?? 0) >= MAX_REQUESTS_OF_STORE[this.kind];
  }

  private leave(store: StoreSlots): void {
    if (--store.taken > 0) return;
    this.stores.delete(store.id);
    for (const each of store.credentials) this.storeOf.delete(each);
  }
}

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Separate limits for orders and reads, so that a crowd of readers cannot block orders. */
export class ConcurrencyLimits {
  private readonly orders = new ConcurrencyLimit('orders');
  private readonly reads = new ConcurrencyLimit('reads');
  /** A request begins as a read, and moves here when its handler knows that it may wait. */
  readonly waits = new ConcurrencyLimit('waits');
  private readonly imports = new ConcurrencyLimit('imports');

  get all(): readonly ConcurrencyLimit[] {
    return [this.orders, this.reads, this.waits, this.imports];
  }

  of({ method, url }: { readonly method?: string; readonly url?: string }): ConcurrencyLimit | null {
    if (UNLIMITED.test(url ?? '')) return null;
    if (method === 'POST' && IMPORT.test(url ?? '')) return this.imports;
    // A person who signs in has no key yet, and must not keep orders out.
    if (SIGN_IN.test(url ?? '')) return this.reads;
    // A request with a body is an order, the preview of one, or a change.
    return WITH_BODY.has(method ?? '') ? this.orders : this.reads;
  }
}

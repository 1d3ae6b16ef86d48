import { MAX_REQUESTS, MAX_REQUESTS_OF_STORE } from '@app/application';
import { IMPORT_PATH } from '../../body/body-limits.js';

type Kind = keyof typeof MAX_REQUESTS;

/** Probes and metrics must answer under overload. They use no connection of the pool. */
const UNLIMITED = /^\/(?:health|metrics)(?:[/?]|$)/;

const IMPORT = new RegExp(`^${IMPORT_PATH}(?:[/?]|$)`);

const SIGN_IN = /^\/dashboard\//;

/** A place of a request, which gives it back once. */
export interface Place {
  /** Counts the place for its store, which is known when the key is. @returns false when the store has all that it may have. */
  tryAssign(storeId: number): boolean;
  leave(): void;
}

export class ConcurrencyLimit {
  /** Keyed by store. */
  private readonly takenOfStore = new Map<number, number>();
  taken = 0;

  constructor(readonly kind: Kind) {}

  get isFull(): boolean {
    return this.taken >= MAX_REQUESTS[this.kind];
  }

  /** @returns null, and takes none, when all places are taken. */
  tryEnter(): Place | null {
    if (this.isFull) return null;
    this.taken++;
    let ofStore: number | null = null;
    return {
      tryAssign: (storeId) => {
        const taken = this.takenOfStore.get(storeId) ?? 0;
        // @protects places-of-store
        if (taken >= MAX_REQUESTS_OF_STORE[this.kind]) return false;
        this.takenOfStore.set((ofStore = storeId), taken + 1);
        return true;
      },
      leave: () => {
        this.taken--;
        if (ofStore === null) return;
        const left = (this.takenOfStore.get(ofStore) ?? 0) - 1;
        if (left > 0) this.takenOfStore.set(ofStore, left);
        else this.takenOfStore.delete(ofStore);
      },
    };
  }
}

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
    // Who signs in has no key yet, and must not keep orders out.
    if (SIGN_IN.test(url ?? '')) return this.reads;
    // What takes a body is an order, the preview of one, or a change.
    return method === 'POST' || method === 'PATCH' ? this.orders : this.reads;
  }
}

import { MAX_REQUESTS } from '@app/application';
import { IMPORT_PATH } from '../../body/body-limits.js';

export type MaxRequests = Readonly<Record<keyof typeof MAX_REQUESTS, number>>;

/** Probes and metrics must answer under overload. They use no connection of the pool. */
const UNLIMITED = /^\/(?:health|metrics)(?:[/?]|$)/;

const IMPORT = new RegExp(`^${IMPORT_PATH}(?:[/?]|$)`);

const SIGN_IN = /^\/dashboard\//;

export class ConcurrencyLimit {
  taken = 0;

  constructor(
    readonly kind: keyof MaxRequests,
    private readonly max: number,
  ) {}

  get isFull(): boolean {
    return this.taken >= this.max;
  }

  tryEnter(): boolean {
    if (this.isFull) return false;
    this.taken++;
    return true;
  }

  leave(): void {
    this.taken--;
  }
}

/** Separate limits for orders and reads, so that a crowd of readers cannot block orders. */
export class ConcurrencyLimits {
  private readonly orders: ConcurrencyLimit;
  private readonly reads: ConcurrencyLimit;
  /** A request begins as a read, and moves here when its handler knows that it may wait. */
  readonly waits: ConcurrencyLimit;
  private readonly imports: ConcurrencyLimit;

  constructor({ orders, reads, waits, imports }: MaxRequests = MAX_REQUESTS) {
    this.orders = new ConcurrencyLimit('orders', orders);
    this.reads = new ConcurrencyLimit('reads', reads);
    this.waits = new ConcurrencyLimit('waits', waits);
    this.imports = new ConcurrencyLimit('imports', imports);
  }

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

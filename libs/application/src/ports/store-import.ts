import type { ScopeWord } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { ChangeOrigin } from './audit-log.js';

/** The scope that a key needs for each kind of line. */
export const IMPORT_SCOPES = {
  warehouse: 'catalog',
  bin: 'catalog',
  brand: 'catalog',
  category: 'catalog',
  product: 'catalog',
  price_list: 'catalog',
  list_price: 'catalog',
  quantity_rule: 'catalog',
  customer: 'customers',
  order: 'sales',
} as const satisfies Readonly<Record<string, ScopeWord>>;

export type ImportKind = keyof typeof IMPORT_SCOPES;

/** Returns null when the value has none of these kinds. */
export function importKindOf(value: unknown): ImportKind | null {
  const { kind } = (value ?? {}) as { readonly kind?: unknown };
  return typeof kind === 'string' && Object.hasOwn(IMPORT_SCOPES, kind) ? (kind as ImportKind) : null;
}

export const IMPORT_RESULTS = ['created', 'updated', 'unchanged', 'refused'] as const;

export interface ImportLine {
  /** The line number, from 1. */
  readonly line: number;
  /** An unchecked line of the store bundle, without its store. */
  readonly value: unknown;
  /** Why the value cannot be read; null when it can. */
  readonly fault: string | null;
}

export interface ImportRequest {
  readonly storeId: number;
  /** Whether the orders among the lines are test orders. */
  readonly isTest: boolean;
  /** Whether one refused line refuses the whole request. */
  readonly isAtomic: boolean;
  readonly lines: readonly ImportLine[];
  readonly deadline: Deadline;
  readonly origin: ChangeOrigin;
}

export interface ImportedLine {
  readonly line: number;
  /** Null for a line without a known kind. */
  readonly kind: ImportKind | null;
  /**
   * The code of a warehouse or price list, `WAREHOUSE/BIN` of a bin, `<product>` or `<product>-<variant>` of prices and rules
   * of quantity, the id of another row; `''` for a refused line.
   */
  readonly id: string;
  readonly result: (typeof IMPORT_RESULTS)[number];
  /** Why the line is refused; `''` when it is not. */
  readonly error: string;
  /** What a written line may not do as intended; `''` for nothing. */
  readonly warning: string;
}

/** Each request is one transaction. After an error, except CommitOutcomeUnknown, nothing is written. */
export abstract class StoreImport {
  /**
   * Writes or refuses each line in sequence. A line whose content already exists changes nothing, so a request can be
   * repeated safely.
   * @throws ImportRefused when the request is atomic and a line is refused.
   * @throws CommitOutcomeUnknown
   * @throws Overloaded when too many imports run, in the process or for the store.
   */
  abstract write(request: ImportRequest): Promise<readonly ImportedLine[]>;
}

export const SEARCHED_KINDS = ['order', 'customer', 'product', 'sku'] as const;

/** A record that a search over all kinds of records found. */
export interface SearchResult {
  readonly kind: (typeof SEARCHED_KINDS)[number];
  /** The id of the record. That of an SKU is `<product>`, or `<product>-<variant>`, as in the feed. */
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

export interface StoreSearchFilter {
  /** Selects orders of one mode; undefined means both. */
  readonly isTest?: boolean | undefined;
}

export abstract class StoreSearch {
  /**
   * Finds at most five records of each kind. A field that is the term comes before a field that begins with it, and that
   * before a field that contains it; then the kinds in the order of {@link SEARCHED_KINDS}, the newest first, SKUs by name.
   * The cost does not depend on the size of the store. Of a term that many records have, it returns the newest; a term
   * of one or two characters finds only the start of a field.
   */
  abstract find(storeId: number, term: string, filter: StoreSearchFilter): Promise<SearchResult[]>;
}

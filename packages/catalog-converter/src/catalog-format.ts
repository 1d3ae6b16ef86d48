import type { Cells } from './cells.js';

/** A row of the file, with the number of its first line. */
export interface CatalogRow {
  readonly line: number;
  readonly cells: Cells;
}

/** A buyable form of a product. */
export interface CatalogVariant {
  readonly line: number;
  /** Empty when the shop has none: it is then derived from the options. */
  readonly sku: string;
  readonly price: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly active: boolean;
  /** Null when the shop does not track the quantity. */
  readonly quantity: number | null;
}

/**
 * A product as its rows describe it. A field is undefined when its column is missing; it then keeps its stored value.
 */
export interface CatalogProduct {
  readonly line: number;
  readonly slug: string;
  /** Other values that must be unique in the file, by name: `SKU`, `ID`. */
  readonly unique?: Readonly<Record<string, string>>;
  readonly sku?: string;
  readonly name: string;
  readonly price: string;
  readonly description?: string;
  readonly brand?: string;
  /** Paths of category names, starting at the top. */
  readonly categories?: readonly (readonly string[])[];
  readonly images?: readonly { readonly url: string; readonly alt?: string }[];
  readonly specifications?: readonly { readonly name: string; readonly value: string }[];
  readonly status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED';
  readonly featured?: boolean;
  readonly variants: readonly CatalogVariant[];
  readonly quantity: number | null;
}

/** The context in which a format reads rows. */
export interface ReadingContext {
  /** The names of the columns in the file. */
  readonly columns: ReadonlySet<string>;
  readonly now: Date;
  /** Receives each value that was adjusted, with its reason. */
  readonly noted: (line: number, reason: string) => void;
}

/** The format in which one kind of shop exports its catalog. */
export interface CatalogFormat {
  /** Returns the column's name by its lower-case header; null when it is not used. */
  readonly columnOf: (header: string) => string | null;
  /** The columns that identify a file of this format, with their headers. */
  readonly required: Readonly<Record<string, string>>;
  /** Undoes the escaping of the shop's export in the text of a cell. */
  readonly unescape?: (text: string) => string;
  /** Returns the key that all rows of a product share, and an alias by which rows may refer to this row's product. */
  readonly placeOf: (cells: Cells) => { readonly product: string | null; readonly alias?: string };
  /**
   * Separates rows with the same key that are several products: each is then converted or refused on its own. When
   * absent, the rows are one product.
   */
  readonly separate?: <R extends CatalogRow>(rows: readonly R[]) => (readonly R[])[];
  /**
   * @param rows the rows of one product, in the sequence of the file.
   * @throws Invalid when the rows are invalid, NotSold when the service does not sell the product.
   */
  readonly read: (rows: readonly CatalogRow[], context: ReadingContext) => CatalogProduct;
}

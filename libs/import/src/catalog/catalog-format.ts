import type { Currency } from '@app/domain';
import type { BundleImage, BundleSpecification } from '../bundle/bundle.js';
import type { Cells } from './cells.js';

/** A row of the file, with the line on which it begins. */
export interface CatalogRow {
  readonly line: number;
  readonly cells: Cells;
}

/** One buyable form of a product. */
export interface CatalogVariant {
  readonly line: number;
  /** Empty where the shop gave none: then one is made of the options. */
  readonly sku: string;
  readonly price: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly active: boolean;
  /** Null where the shop does not count. */
  readonly quantity: number | null;
}

/** A product as its rows tell it. What is undefined has no column in the file, and stays as it is stored. */
export interface CatalogProduct {
  readonly line: number;
  /** Null where the format has no slugs: then the product is known by its SKU, or else by its id in the shop. */
  readonly slug: string | null;
  /** Its id in the shop. */
  readonly foreignId?: string;
  readonly sku?: string;
  readonly name: string;
  readonly price: string;
  readonly description?: string;
  readonly brand?: string;
  /** Paths of names, from the top. */
  readonly categories?: readonly (readonly string[])[];
  readonly images?: readonly BundleImage[];
  readonly specifications?: readonly BundleSpecification[];
  readonly status?: 'ACTIVE' | 'DRAFT' | 'ARCHIVED';
  readonly featured?: boolean;
  readonly variants: readonly CatalogVariant[];
  readonly quantity: number | null;
}

/** What the rows are read with. */
export interface ReadingContext {
  readonly currency: Currency;
  /** Names of the columns that the file has. */
  readonly columns: ReadonlySet<string>;
  readonly now: Date;
  /** Tells what was not taken over as it stands. */
  readonly noted: (line: number, reason: string) => void;
}

/** A product that this service does not sell, though nothing is wrong with its rows. */
export class NotSold extends Error {}

/** How one kind of shop writes its catalog. */
export interface CatalogFormat {
  /** The name of a column by its header in lower case; null = not used. */
  readonly columnOf: (header: string) => string | null;
  /** Columns without which the file is not such a catalog, with their header. */
  readonly required: Readonly<Record<string, string>>;
  /** Text of a cell as it was before the shop's export escaped it. */
  readonly unescape?: (text: string) => string;
  /** What all rows of a product have in common, and another name by which rows may refer to this one's product. */
  readonly placeOf: (cells: Cells) => { readonly product: string | null; readonly alias?: string };
  /**
   * @param rows of one product, in the order of the file.
   * @throws Fault or BundleLineError when they cannot be taken, NotSold when they are not to be.
   */
  readonly read: (rows: readonly CatalogRow[], context: ReadingContext) => CatalogProduct;
}

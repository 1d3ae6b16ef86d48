import { api, Refused } from '../http.js';

type Fields = Readonly<Record<string, unknown>>;

export interface BundleLine {
  /** Counts the lines of the file from 1. */
  readonly n: number;
  readonly text: string;
  readonly kind: string;
  /** What names its row. */
  readonly key: string;
  readonly value: Fields;
  readonly error: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function lineOf(text: string, n: number, subdomain: string): BundleLine {
  try {
    const { store, ...value } = JSON.parse(text) as Fields;
    const { kind, slug, receipt_number, email, warehouse, code } = value;
    const key = [slug ?? receipt_number ?? email ?? warehouse, code].map(textOf).filter(Boolean).join('/');
    const isForeign = store !== undefined && store !== subdomain;
    return { n, text, kind: textOf(kind), key, value, error: isForeign ? `It is of the store ${textOf(store)}.` : '' };
  } catch {
    return { n, text, kind: '', key: '', value: {}, error: 'It is no JSON object.' };
  }
}

/** The lines of a bundle. They may name the store of the session. */
export const linesOf = (file: string, subdomain: string): BundleLine[] =>
  file
    .split('\n')
    .map((text, index) => [text.trim(), index + 1] as const)
    .filter(([text]) => text !== '')
    .map(([text, n]) => lineOf(text, n, subdomain));

const MOST_LINES = 500;
/** Of 2 MB, with a reserve for the frame around the lines. */
const MOST_BYTES = 1_900_000;

/** The first lines that one request can have. */
export function pieceOf(lines: readonly BundleLine[]): readonly BundleLine[] {
  let bytes = 0;
  const end = lines.findIndex(({ text }) => (bytes += new Blob([text]).size + 1) > MOST_BYTES);
  return lines.slice(0, Math.min(MOST_LINES, end === -1 ? lines.length : Math.max(1, end)));
}

const path = (idOrSlug: string) => ({ params: { path: { idOrSlug } } });

/** How the row of a line is read, for the kinds where one request does it. */
const READERS: Readonly<Record<string, (key: string) => Promise<{ data?: { data: unknown } }>>> = {
  product: (key) => api.GET('/v1/products/{idOrSlug}', path(key)),
  brand: (key) => api.GET('/v1/brands/{idOrSlug}', path(key)),
  category: (key) => api.GET('/v1/categories/{idOrSlug}', path(key)),
  order: (id) => api.GET('/v1/orders/{id}', { params: { path: { id } } }),
  customer: async (email) => {
    const { data } = await api.GET('/v1/customers', { params: { query: { email } } });
    return { data: { data: data?.data[0] } };
  },
};

/** A line with what became of it, or would. */
export interface Outcome extends BundleLine {
  readonly result: string;
  readonly notes: readonly string[];
}

/** Fields whose text is the same number, such as 79.90 and 79.9, are equal, and so are null and an empty text. */
const isEqual = (a: unknown, b: unknown, field: string) =>
  field === 'price' ? Number(a) === Number(b) : (a ?? '') === (b ?? '');

function differencesOf(given: Fields, stored: Fields): string[] {
  const names = Object.keys(given).filter((name) => name in stored && typeof stored[name] !== 'object');
  return names
    .filter((name) => name !== 'id' && !name.endsWith('_at') && !isEqual(given[name], stored[name], name))
    .map((name) => `${name}: ${String(stored[name])} → ${String(given[name])}`);
}

/** Variants are compared by their SKU. A stored one that the line lacks becomes inactive. */
function variantsOf(given: Fields, stored: Fields): string[] {
  if (!Array.isArray(given.variants) || !Array.isArray(stored.variants)) return [];
  const [wanted, present] = [given.variants as Fields[], stored.variants as Fields[]];
  const bySku = new Map(present.map((variant) => [variant.sku, variant]));
  return [
    ...wanted.flatMap((variant) => {
      const before = bySku.get(variant.sku);
      if (!before) return [`new variant ${textOf(variant.sku)}`];
      return differencesOf(variant, before).map((text) => `${textOf(variant.sku)} ${text}`);
    }),
    ...present
      .filter(({ sku, status }) => status === 'ACTIVE' && !wanted.some((variant) => variant.sku === sku))
      .map(({ sku }) => `${textOf(sku)} becomes inactive`),
  ];
}

/** What a line would do, as far as a read of its row shows it. Stored orders never change. */
export async function preview(line: BundleLine): Promise<Outcome> {
  const { kind, key, value } = line;
  const read = READERS[kind];
  if (!read || !key) return { ...line, result: 'not compared', notes: [] };
  try {
    const stored = (await read(key)).data?.data as Fields | undefined;
    if (!stored) return { ...line, result: 'created', notes: [] };
    const notes = kind === 'order' ? [] : [...differencesOf(value, stored), ...variantsOf(value, stored)];
    return { ...line, result: notes.length > 0 ? 'updated' : 'unchanged', notes };
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return { ...line, result: 'created', notes: [] };
    throw error;
  }
}

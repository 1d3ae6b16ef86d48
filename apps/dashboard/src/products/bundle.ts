import { api, get, statusOf, type Schemas } from '../http.js';
import type { ResultLine } from '../parts/results.js';

type Fields = Readonly<Record<string, unknown>>;

export interface BundleLine extends ResultLine {
  readonly text: string;
  readonly kind: string;
  readonly value: Fields;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function lineOf(text: string, n: number, subdomain: string): BundleLine {
  try {
    const { store = subdomain, ...value } = JSON.parse(text) as Fields;
    const { kind, slug, receipt_number, email, warehouse, code } = value;
    const key = [slug ?? receipt_number ?? email ?? warehouse, code].map(textOf).filter(Boolean).join('/');
    const line = { n, text, kind: textOf(kind), key, value };
    if (store === subdomain) return { ...line, result: 'not compared', notes: [] };
    return { ...line, result: 'refused', notes: [`The line belongs to the store ${textOf(store)}.`] };
  } catch {
    return { n, text, kind: '', key: '', value: {}, result: 'refused', notes: ['The line is not a JSON object.'] };
  }
}

export const linesOf = (file: string, subdomain: string): BundleLine[] =>
  file.split('\n').flatMap((text, index) => (text.trim() ? lineOf(text.trim(), index + 1, subdomain) : []));

const MAX_LINES = 500;
/** The limit of 2 MB minus a reserve for the frame around the lines. */
const MAX_BYTES = 1_900_000;

/** Sends the first lines, as many as one request can have, and returns their results. */
export async function write(lines: readonly BundleLine[]): Promise<BundleLine[]> {
  let bytes = 0;
  const fits = ({ text }: BundleLine) => (bytes += new Blob([text]).size + 1) <= MAX_BYTES;
  const piece = lines.slice(0, MAX_LINES).filter((line, index) => fits(line) || index === 0);
  const body = { lines: piece.map(({ value }) => value) as Schemas['ImportLine'][] };
  const { data } = await api.POST('/v1/import', { body });
  return piece.map((line, index) => {
    const { result = '', error, warning } = data?.data.lines[index] ?? {};
    return { ...line, result, notes: [error, warning].map(textOf).filter(Boolean) };
  });
}

/** How to read the row of a line, for the kinds where one request is enough. */
const READERS: Readonly<Record<string, (key: string) => Promise<{ data: unknown }>>> = {
  product: (idOrSlug) => get('/v1/products/{idOrSlug}', { path: { idOrSlug } }),
  brand: (idOrSlug) => get('/v1/brands/{idOrSlug}', { path: { idOrSlug } }),
  category: (idOrSlug) => get('/v1/categories/{idOrSlug}', { path: { idOrSlug } }),
  order: (id) => get('/v1/orders/{id}', { path: { id } }),
  customer: (email) => get('/v1/customers', { query: { email } }),
};

/** Compares values: texts of the same number, such as 79.90 and 79.9, are equal, and so are null and an empty text. */
const isEqual = (a: unknown, b: unknown, field: string) =>
  field === 'price' ? Number(a) === Number(b) : (a ?? '') === (b ?? '');

function differencesOf(given: Fields, stored: Fields): string[] {
  const names = Object.keys(given).filter((name) => name in stored && typeof stored[name] !== 'object');
  return names
    .filter((name) => name !== 'id' && !name.endsWith('_at') && !isEqual(given[name], stored[name], name))
    .map((name) => `${name}: ${String(stored[name])} → ${String(given[name])}`);
}

/** Compares variants by SKU. A stored variant that the line lacks becomes inactive. */
function variantsOf(given: Fields, stored: Fields): string[] {
  if (!Array.isArray(given.variants) || !Array.isArray(stored.variants)) return [];
  const [wanted, present] = [given.variants, stored.variants].map(
    (variants: Fields[]) => new Map(variants.map((variant) => [textOf(variant.sku), variant])),
  );
  const changed = [...(wanted ?? [])].flatMap(([sku, variant]) => {
    const before = present?.get(sku);
    return before ? differencesOf(variant, before).map((text) => `${sku} ${text}`) : [`new variant ${sku}`];
  });
  const left = [...(present ?? [])].filter(([sku, { status }]) => status === 'ACTIVE' && !wanted?.has(sku));
  return [...changed, ...left.map(([sku]) => `${sku} becomes inactive`)];
}

/** Predicts what a line would do, as far as reading its row shows it. Stored orders never change. */
export async function preview(line: BundleLine): Promise<BundleLine> {
  const { kind, key, value } = line;
  const read = READERS[kind];
  if (!read || !key) return line;
  const { data } = await read(key).catch((error: unknown) => {
    if (statusOf(error) === 404) return { data: undefined };
    throw error;
  });
  const [stored] = [data].flat() as (Fields | undefined)[];
  if (!stored) return { ...line, result: 'created' };
  const notes = kind === 'order' ? [] : [...differencesOf(value, stored), ...variantsOf(value, stored)];
  return { ...line, result: notes.length > 0 ? 'updated' : 'unchanged', notes };
}

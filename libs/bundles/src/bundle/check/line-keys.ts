import { LINES } from '../schema/bundle-schema.js';
import type { BundleLine } from '../schema/bundle.js';
import { checkLine } from './check-line.js';
import { Fault } from './faults.js';

/** The form of a customer's e-mail that is unique in a store. Knows the e-mails of the lines that it was made for. */
export type EmailKey = (email: string) => string;

/** The lines on which other lines may depend: by a reference, or by an identity that only one row may have. */
export type TargetLine = Exclude<BundleLine, { kind: 'stock' }>;

const key = (...parts: readonly string[]) => JSON.stringify(parts);

/** The identities of the row that a line writes; a row with two identities clashes by either. */
export function naturalKeys(line: BundleLine, emailKey: EmailKey): string[] {
  if (line.kind === 'store') return [key('store', line.subdomain)];
  return namesOf(line, emailKey).map((name) => key(line.kind, line.store, ...name));
}

function namesOf(line: Exclude<BundleLine, { kind: 'store' }>, emailKey: EmailKey): string[][] {
  switch (line.kind) {
    case 'warehouse':
      return [[line.code]];
    case 'bin':
      return [[line.warehouse, line.code]];
    case 'brand':
    case 'category':
    case 'product':
      return [[line.slug]];
    case 'stock':
      return [[line.bin, line.product, line.variant ?? '']];
    case 'customer': {
      const identities = [
        ...(line.id ? [['id', line.id]] : []),
        ...(line.email ? [['email', emailKey(line.email)]] : []),
      ];
      return identities.length > 0 ? identities : [[line.name, line.phone ?? '', line.created_at ?? '']];
    }
    case 'order':
      return [
        ['receipt', line.receipt_number.toUpperCase()],
        ...(line.id ? [['id', line.id]] : []),
        ...(line.external_reference ? [['reference', line.is_test ? 'test' : 'live', line.external_reference]] : []),
      ];
  }
}

/** The {@link naturalKeys} of the rows that a line refers to. */
export function referencesOf(line: BundleLine): string[] {
  if (line.kind === 'store') return [];
  const of = (kind: string, ...names: (string | null | undefined)[]) =>
    names.flatMap((name) => (name ? [key(kind, line.store, name)] : []));
  const owner = key('store', line.store);
  switch (line.kind) {
    case 'bin':
      return [owner, ...of('warehouse', line.warehouse)];
    case 'category':
      return [owner, ...of('category', line.parent)];
    case 'product':
      return [owner, ...of('brand', line.brand), ...of('category', ...(line.categories ?? []))];
    case 'stock': {
      const [warehouse = '', code = ''] = line.bin.split('/');
      const bin = key('bin', line.store, warehouse, code);
      return [owner, bin, ...of('warehouse', warehouse), ...of('product', line.product)];
    }
    case 'order':
      return [owner, ...of('product', ...(line.line_items ?? []).map(({ product }) => product))];
    default:
      return [owner];
  }
}

/** Fields that make the key of a line, besides kind and store. */
const KEY_FIELDS: Readonly<Record<TargetLine['kind'], readonly string[]>> = {
  store: ['subdomain', 'currency'],
  warehouse: ['code'],
  bin: ['warehouse', 'code'],
  brand: ['slug'],
  category: ['slug'],
  product: ['slug'],
  customer: ['id', 'email'],
  order: ['id', 'receipt_number', 'created_at', 'external_reference', 'is_test'],
};

/** Values of the fields that a line must have besides its key. */
const ANY: Readonly<Record<string, unknown>> = {
  ...{ name: 'x', price: '0', source: 'POS', status: 'PENDING', fulfillment_status: 'PENDING' },
  ...{ payment_method: 'CASH', currency: 'USD', amount: 0, total_amount: 0 },
};

/**
 * The part of a line that matters to lines that depend on it: its key. With it, a bad line, or one that a dry run rolled
 * back, does not make the lines that refer to it bad as well.
 *
 * @param given a line, valid or not. @returns null when its key is unreadable or no line depends on it.
 */
export function targetOf(given: unknown): TargetLine | null {
  const line = Object(given) as Record<string, unknown>;
  const kind = line.kind as TargetLine['kind'];
  if (!Object.hasOwn(KEY_FIELDS, kind) || (kind === 'customer' && !line.id && !line.email)) return null;
  const kept = ['kind', 'store', ...KEY_FIELDS[kind]].filter((name) => line[name] !== undefined);
  const required = LINES[kind].required?.filter((name) => Object.hasOwn(ANY, name)) ?? [];
  const variants = kind === 'product' && Array.isArray(line.variants) && skusOf(line.variants);
  try {
    return checkLine({
      ...Object.fromEntries(required.map((name) => [name, ANY[name]])),
      ...Object.fromEntries(kept.map((name) => [name, line[name]])),
      ...(variants && { variants }),
    }) as TargetLine;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function skusOf(variants: readonly unknown[]) {
  const skus = variants.map((variant) => (Object(variant) as { sku?: unknown }).sku);
  const read = skus.filter((sku) => typeof sku === 'string' && sku.trim() !== '');
  return [...new Set(read)].map((sku) => ({ sku, name: sku, price: '0' }));
}

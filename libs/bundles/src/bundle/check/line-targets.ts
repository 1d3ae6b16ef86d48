import type { BundleLine } from '../schema/bundle.js';
import { Fault } from './faults.js';
import { checkLine } from './check-line.js';

/** The lines on which other lines may depend: by a reference, or by an identity that only one row may have. */
export type TargetLine = Exclude<BundleLine, { kind: 'stock' }>;

/**
 * The part of a line that matters to lines that depend on it: its key. With it, a bad line, or one that a dry run rolled
 * back, does not make the lines that refer to it bad as well.
 *
 * @param line a line, valid or not. @returns null when its key is unreadable or no line depends on it.
 */
export function targetOf(line: unknown): TargetLine | null {
  const reduced = reducedLine(Object(line) as Record<string, unknown>);
  if (!reduced) return null;
  try {
    return checkLine(reduced) as TargetLine;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function reducedLine(line: Record<string, unknown>) {
  const { kind, store, subdomain, currency, warehouse, code, slug, variants, id, email } = line;
  switch (kind) {
    case 'store':
      return { kind, subdomain, currency, name: subdomain };
    case 'warehouse':
      return { kind, store, code, name: code };
    case 'bin':
      return { kind, store, warehouse, code };
    case 'brand':
    case 'category':
      return { kind, store, slug, name: slug };
    case 'product':
      return {
        kind,
        store,
        slug,
        name: slug,
        price: '0',
        ...(Array.isArray(variants) && { variants: skusOf(variants) }),
      };
    case 'customer':
      return id || email
        ? { kind, store, name: '', ...(id !== undefined && { id }), ...(email !== undefined && { email }) }
        : null;
    case 'order': {
      const { receipt_number, created_at, external_reference, is_test } = line;
      const identities = {
        ...(id !== undefined && { id }),
        ...(external_reference ? { external_reference, is_test: is_test === true } : {}),
      };
      return { ...ANY_ORDER, kind, store, receipt_number, created_at, ...identities };
    }
    default:
      return null;
  }
}

const ANY_ORDER = {
  ...{ source: 'POS', status: 'PENDING', fulfillment_status: 'PENDING', payment_method: 'CASH' },
  ...{ currency: 'USD', amount: 0, total_amount: 0 },
};

function skusOf(variants: readonly unknown[]) {
  const skus = variants.map((variant) => (Object(variant) as { sku?: unknown }).sku);
  const read = skus.filter((sku) => typeof sku === 'string' && sku.trim() !== '');
  return [...new Set(read)].map((sku) => ({ sku, name: sku, price: '0' }));
}

/** The {@link naturalKeys} of the rows that a line refers to. */
export function referencesOf(line: BundleLine): string[] {
  if (line.kind === 'store') return [];
  const of = (kind: string, name: string | null | undefined) => (name ? [key(kind, line.store, name)] : []);
  const owner = key('store', line.store);
  switch (line.kind) {
    case 'bin':
      return [owner, ...of('warehouse', line.warehouse)];
    case 'category':
      return [owner, ...of('category', line.parent)];
    case 'product':
      return [owner, ...of('brand', line.brand), ...(line.categories ?? []).flatMap((slug) => of('category', slug))];
    case 'stock':
      return [
        owner,
        key('bin', line.store, ...line.bin.split('/')),
        ...of('warehouse', line.bin.split('/')[0]),
        ...of('product', line.product),
      ];
    case 'order':
      return [owner, ...(line.line_items ?? []).flatMap(({ product }) => of('product', product))];
    default:
      return [owner];
  }
}

const key = (...parts: readonly string[]) => JSON.stringify(parts);

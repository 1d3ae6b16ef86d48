import type { BundleLine } from './bundle.js';
import { Fault } from './faults.js';
import { checkLine } from './check-line.js';

/** The lines that other lines may refer to. */
export type TargetLine = Extract<
  BundleLine,
  { kind: 'store' | 'warehouse' | 'bin' | 'brand' | 'category' | 'product' }
>;

/**
 * The part of a line that matters to lines that refer to it: its key. With it, a bad line, or one that a dry run rolled
 * back, does not make the lines that refer to it bad as well.
 *
 * @param line a line, valid or not. @returns null when its key is unreadable or its kind is never referred to.
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

function reducedLine({ kind, store, subdomain, currency, warehouse, code, slug, variants }: Record<string, unknown>) {
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
    default:
      return null;
  }
}

function skusOf(variants: readonly unknown[]) {
  const skus = variants.map((variant) => (Object(variant) as { sku?: unknown }).sku);
  const read = skus.filter((sku) => typeof sku === 'string' && sku.trim() !== '');
  return [...new Set(read)].map((sku) => ({ sku, name: sku, price: '0' }));
}

export function keyOf(line: TargetLine): string {
  switch (line.kind) {
    case 'store':
      return key('store', line.subdomain);
    case 'warehouse':
      return key('warehouse', line.store, line.code);
    case 'bin':
      return key('bin', line.store, `${line.warehouse}/${line.code}`);
    default:
      return key(line.kind, line.store, line.slug);
  }
}

/** The keys of a line's references. */
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
        ...of('bin', line.bin),
        ...of('warehouse', line.bin.split('/')[0]),
        ...of('product', line.product),
      ];
    case 'order':
      return [owner, ...(line.line_items ?? []).flatMap(({ product }) => of('product', product))];
    default:
      return [owner];
  }
}

const key = (...parts: string[]) => JSON.stringify(parts);

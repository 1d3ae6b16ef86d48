import type { BundleLine } from './bundle.js';
import { Fault } from './faults.js';
import { checkLine } from './check-line.js';

/** What other lines may refer to. */
export type TargetLine = Extract<
  BundleLine,
  { kind: 'store' | 'warehouse' | 'bin' | 'brand' | 'category' | 'product' }
>;

/**
 * What a line is to the lines that refer to it: its key, without whatever else it says. So a line with a fault, or one
 * that a dry run has undone, is not the reason for further faults.
 *
 * @param line a line, or what was meant to be one. @returns null where its key cannot be read, or nothing refers to it.
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

/** Keys of the lines that a line refers to. */
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

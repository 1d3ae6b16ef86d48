import type { Numbered } from './batch.js';
import type { BundleLine } from '../schema/bundle.js';
import type { EmailKey } from './email-keys.js';

/**
 * Cuts a batch before each line that repeats the natural key of an earlier one. The rows of a segment can then be
 * written in any order, with the same outcome as line after line.
 */
export function segmentsOf(lines: readonly Numbered[], emailKey: EmailKey): Numbered[][] {
  const segments: Numbered[][] = [];
  let segment: Numbered[] = [];
  let seen = new Set<string>();
  for (const each of lines) {
    const keys = naturalKeys(each.line, emailKey);
    if (keys.some((key) => seen.has(key))) {
      segments.push(segment);
      segment = [];
      seen = new Set();
    }
    segment.push(each);
    for (const key of keys) seen.add(key);
  }
  if (segment.length > 0) segments.push(segment);
  return segments;
}

/** The identities of the row that a line writes. */
export function naturalKeys(line: BundleLine, emailKey: EmailKey): string[] {
  if (line.kind === 'store') return [key('store', line.subdomain)];
  return namesOf(line, emailKey).map((name) => key(line.kind, line.store, ...name));
}

/** The identities of a row in its store; a row with two identities clashes by either. */
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

function key(...parts: string[]): string {
  return JSON.stringify(parts);
}

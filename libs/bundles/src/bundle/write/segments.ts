import { folded, type Sql } from '@app/infrastructure';
import { takesStock, type BundleLine } from '../schema/bundle.js';
import type { EmailKey, Numbered } from './batch.js';

// The expression equals that of the unique index. JavaScript folds some letters, such as İ and Σ, differently from
// PostgreSQL.
const EMAIL_KEYS = `/* import.emails.keys */
  SELECT email, lower(email) AS key FROM jsonb_array_elements_text($1::jsonb) AS given (email)`;

export async function emailKeys(sql: Sql, lines: readonly Numbered[]): Promise<EmailKey> {
  const emails = lines.flatMap(({ line }) => (line.kind === 'customer' && line.email ? [line.email] : []));
  if (emails.length === 0) return (email) => email;
  const rows = await sql.query<{ email: string; key: string }>(EMAIL_KEYS, [JSON.stringify(emails)]);
  const keys = new Map(rows.map(({ email, key }) => [email, key]));
  return (email) => keys.get(email) ?? email;
}

/**
 * Cuts before a line that repeats an earlier natural key, before a sale that follows stock, and before a product whose
 * variants may get other SKUs than those of earlier lines: the rows of a segment can then be written in any sequence,
 * with its stock last.
 */
export function segmentsOf(lines: readonly Numbered[], emailKey: EmailKey): Numbered[][] {
  const segments: Numbered[][] = [];
  let segment: Numbered[] = [];
  let seen = new Set<string>();
  let products = new Set<string>();
  for (const each of lines) {
    const { kind } = each.line;
    const store = each.line.kind === 'store' ? '' : each.line.store;
    const keys = identitiesOf(each.line, emailKey).map((names) => JSON.stringify([kind, store, ...names]));
    const isAfterStock = takesStock(each.line) && segment.some(({ line }) => line.kind === 'stock');
    if (isAfterStock || mayRename(each.line, products) || keys.some((key) => seen.has(key))) {
      segments.push(segment);
      segment = [];
      seen = new Set();
      products = new Set();
    }
    segment.push(each);
    for (const slug of variantsNamedIn(each.line)) products.add(slug);
    for (const key of keys) seen.add(key);
  }
  if (segment.length > 0) segments.push(segment);
  return segments;
}

/** @param products the folded slugs of products of which earlier lines name variants. */
function mayRename(line: BundleLine, products: ReadonlySet<string>): boolean {
  if (line.kind !== 'product' || !products.has(folded(line.slug))) return false;
  return (line.variants ?? []).some(({ id }) => id !== undefined);
}

/** Returns the folded slugs of the products of which the line names variants. */
function variantsNamedIn(line: BundleLine): string[] {
  const named = line.kind === 'order' ? (line.line_items ?? []) : 'variant' in line ? [line] : [];
  return named.flatMap(({ product, variant }) => (product && variant ? [folded(product)] : []));
}

/** Returns all identities of a row, because a row with two of them clashes by either. */
function identitiesOf(line: BundleLine, emailKey: EmailKey): string[][] {
  switch (line.kind) {
    case 'store':
      return [[line.subdomain]];
    case 'warehouse':
    case 'price_list':
      return [[line.code]];
    case 'bin':
      return [[line.warehouse, line.code]];
    case 'brand':
    case 'category':
    case 'product':
      return [[folded(line.slug)]];
    case 'list_price':
      return [[line.list, folded(line.product), line.variant ?? '']];
    case 'quantity_rule':
      return [[folded(line.product), line.variant ?? '']];
    case 'stock':
      return [[line.bin, folded(line.product), line.variant ?? '']];
    case 'customer': {
      const { id, email, name = '', phone = '', created_at = '' } = line;
      const identities = [...(id ? [['id', id]] : []), ...(email ? [['email', emailKey(email)]] : [])];
      return identities.length > 0 ? identities : [[name, phone, created_at]];
    }
    case 'order': {
      const { id, receipt_number, external_reference: reference, is_test: isTest } = line;
      return [
        ['receipt', receipt_number.toUpperCase()],
        ...(id ? [['id', id]] : []),
        ...(reference ? [['reference', isTest ? 'test' : 'live', reference]] : []),
      ];
    }
  }
}

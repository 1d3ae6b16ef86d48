import { isDeepStrictEqual } from 'node:util';
import { holdsCredentials } from '@app/domain';
import { GATEWAY_CREDENTIALS, type Sql } from '@app/infrastructure';
import type { Batch, Numbered } from './batch.js';
import type { BundlePaymentSettings, StoreLine } from '../schema/bundle.js';
import { BundleLineError } from '../check/faults.js';
import type { Row } from './table-writer.js';
import { shownSettings, type StoredSettings } from '../schema/shown-settings.js';
import { STORES } from './tables.js';

const SAVE_CREDENTIALS = `/* import.credentials.save */
  INSERT INTO gateway_credentials (store_id, method_id, credentials) VALUES ($1, $2, $3)
  ON CONFLICT (store_id, method_id) DO UPDATE SET credentials = EXCLUDED.credentials`;

interface StoredStore extends StoredSettings {
  readonly subdomain: string;
  readonly currency: string;
}

export async function writeStores(batch: Batch, lines: readonly Numbered<StoreLine>[]): Promise<void> {
  if (lines.length === 0) return;
  const stored = await storedOf(batch, lines);
  const known = await knownZones(
    batch.sql,
    lines.flatMap(({ line }) => line.time_zone ?? []),
  );
  const rows = batch.good(lines, (each) => {
    refuseOtherCurrency(stored, each);
    refuseUnknownZone(known, each);
    const { kind: _, payment_settings, ...fields } = each.line;
    const shown = payment_settings && { payment_settings: withoutCredentials(payment_settings) };
    return { ...each, row: withoutShown({ ...fields, ...shown }, stored.get(each.line.subdomain)) };
  });
  const written = await batch.write(STORES, 0, rows);
  batch.note(written);
  for (const { id, line } of written) await keepCredentials(batch, id, line.payment_settings);
}

async function storedOf({ sql }: Batch, lines: readonly Numbered<StoreLine>[]): Promise<Map<string, StoredStore>> {
  const rows = await sql.query<StoredStore>(
    `/* import.stores.currencies */
     SELECT subdomain, currency, contact, theme, payment_settings, ecommerce_settings, fraud_settings, charge_settings
     FROM stores WHERE subdomain = ANY($1)`,
    [lines.map(({ line }) => line.subdomain)],
  );
  return new Map(rows.map((row) => [row.subdomain, row]));
}

/** Refuses a change of the currency: prices are integers in its minor unit, so a change would falsify all of them. */
function refuseOtherCurrency(stored: ReadonlyMap<string, StoredStore>, { number, line }: Numbered<StoreLine>): void {
  const currency = stored.get(line.subdomain)?.currency ?? line.currency;
  if (currency !== line.currency) {
    throw new BundleLineError(number, `store.currency must stay ${currency}: the store has prices in it`);
  }
}

/** Checks time zones in PostgreSQL, too: the check of the line uses Node, whose zones may be newer. */
export async function knownZones(sql: Sql, zones: readonly string[]): Promise<ReadonlySet<string>> {
  if (zones.length === 0) return new Set();
  const text = '/* import.stores.time_zones */ SELECT name FROM pg_timezone_names WHERE name = ANY ($1)';
  return new Set((await sql.query<{ name: string }>(text, [zones])).map(({ name }) => name));
}

export const UNKNOWN_ZONE = 'is not known to PostgreSQL';

function refuseUnknownZone(known: ReadonlySet<string>, { number, line: { time_zone } }: Numbered<StoreLine>): void {
  if (time_zone === undefined || known.has(time_zone)) return;
  throw new BundleLineError(number, `store.time_zone ${time_zone} ${UNKNOWN_ZONE}`);
}

/**
 * Drops settings that equal what an export shows: what the export cannot show, such as a secret, stays in the store.
 */
function withoutShown(row: Row, stored: StoredSettings | undefined): Row {
  if (!stored) return row;
  const shown = new Map<string, unknown>(Object.entries(shownSettings(stored)));
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => !isDeepStrictEqual(value, shown.get(name))));
}

export function withoutCredentials(settings: { readonly methods?: readonly { readonly credentials?: unknown }[] }) {
  if (!settings.methods) return settings;
  return { ...settings, methods: settings.methods.map(({ credentials: _, ...method }) => method) };
}

export async function keepCredentials(
  { sql, cipher }: Pick<Batch, 'sql' | 'cipher'>,
  storeId: number,
  settings: BundlePaymentSettings | undefined,
): Promise<void> {
  for (const { methodId, credentials } of settings?.methods ?? []) {
    if (credentials === undefined) continue;
    if (!holdsCredentials(credentials)) {
      // The existence of the row means that the gateway is configured.
      const remove =
        '/* import.credentials.delete */ DELETE FROM gateway_credentials WHERE store_id = $1 AND method_id = $2';
      await sql.query(remove, [storeId, methodId]);
    } else {
      // @protects encrypted-credentials
      const encrypted = cipher.encrypt(JSON.stringify(credentials), GATEWAY_CREDENTIALS.context(storeId, methodId));
      await sql.query(SAVE_CREDENTIALS, [storeId, methodId, encrypted]);
    }
  }
}

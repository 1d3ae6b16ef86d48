import { holdsCredentials } from '@app/domain';
import { GATEWAY_CREDENTIALS } from '@app/infrastructure';
import type { Batch, Numbered } from './batch.js';
import type { BundlePaymentSettings, StoreLine } from '../schema/bundle.js';
import { BundleLineError } from '../check/faults.js';
import { STORES } from './tables.js';

const SAVE_CREDENTIALS = `/* import.credentials.save */
  INSERT INTO gateway_credentials (store_id, method_id, credentials) VALUES ($1, $2, $3)
  ON CONFLICT (store_id, method_id) DO UPDATE SET credentials = EXCLUDED.credentials`;

/** Creates and updates stores. Credentials go to a separate table, encrypted. */
export async function writeStores(batch: Batch, lines: readonly Numbered<StoreLine>[]): Promise<void> {
  if (lines.length === 0) return;
  await refuseOtherCurrency(batch, lines);
  const rows = lines.map((each) => {
    const { kind: _, payment_settings, ...fields } = each.line;
    const shown = payment_settings && { payment_settings: withoutCredentials(payment_settings) };
    return { ...each, row: { ...fields, ...shown } };
  });
  const written = await batch.write(STORES, 0, rows);
  batch.count(written);
  for (const { id, line } of written) await keepCredentials(batch, id, line.payment_settings);
}

/**
 * Prices and amounts of a store are integers in its currency's minor unit; a change of currency would falsify them all.
 */
async function refuseOtherCurrency({ manager }: Batch, lines: readonly Numbered<StoreLine>[]): Promise<void> {
  const existing = await manager.query<{ subdomain: string; currency: string }[]>(
    '/* import.stores.currencies */ SELECT subdomain, currency FROM stores WHERE subdomain = ANY($1)',
    [lines.map(({ line }) => line.subdomain)],
  );
  const currencies = new Map(existing.map(({ subdomain, currency }) => [subdomain, currency]));
  for (const { number, line } of lines) {
    const currency = currencies.get(line.subdomain) ?? line.currency;
    if (currency !== line.currency) {
      throw new BundleLineError(number, `store.currency must stay ${currency}, in which the store has its prices`);
    }
  }
}

function withoutCredentials(settings: BundlePaymentSettings): BundlePaymentSettings {
  if (!settings.methods) return settings;
  return { ...settings, methods: settings.methods.map(({ credentials: _, ...method }) => method) };
}

async function keepCredentials(
  { manager, cipher }: Batch,
  storeId: number,
  settings: BundlePaymentSettings | undefined,
): Promise<void> {
  for (const { methodId, credentials } of settings?.methods ?? []) {
    if (credentials === undefined) continue;
    if (!holdsCredentials(credentials)) {
      // The row's existence means that the gateway is configured.
      const remove =
        '/* import.credentials.delete */ DELETE FROM gateway_credentials WHERE store_id = $1 AND method_id = $2';
      await manager.query(remove, [storeId, methodId]);
    } else {
      const encrypted = cipher.encrypt(JSON.stringify(credentials), GATEWAY_CREDENTIALS.context(storeId, methodId));
      await manager.query(SAVE_CREDENTIALS, [storeId, methodId, encrypted]);
    }
  }
}

import { isDeepStrictEqual } from 'node:util';
import { StoreSettings, type SettingsChange, type SettingsRecord } from '@app/application';
import {
  holdsCredentials,
  maskedSettings,
  NotFound,
  SettingsRefused,
  StaleSettings,
  withStoredSecrets,
  type LineFault,
} from '@app/domain';
import { Database, DataCipher, recordAudit, type Sql } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import type { SettingsFields } from './schema/bundle.js';
import { paymentMethodsShown, pickDeclared } from './schema/shown-settings.js';
import { chargeSettings, contact, fraudSettings, SETTINGS } from './schema/store-line.js';
import { keepCredentials, knownZones, UNKNOWN_ZONE, withoutCredentials } from './write/write-stores.js';

const COLUMNS = Object.keys(SETTINGS.properties).join(', ');

const READ = `/* settings.read */
  SELECT ${COLUMNS}, ARRAY(SELECT held.method_id FROM gateway_credentials held WHERE held.store_id = $1) AS held
  FROM stores WHERE id = $1`;

// A separate statement reads the settings: the snapshot of this one is older than the lock.
const LOCK = '/* settings.lock */ SELECT FROM stores WHERE id = $1 FOR NO KEY UPDATE';

const UPDATE = `/* settings.update */
  UPDATE stores SET (${COLUMNS}) = (SELECT ${COLUMNS} FROM jsonb_populate_record(stores, $2::jsonb)) WHERE id = $1`;

const DROP_CREDENTIALS = `/* settings.credentials.drop */
  DELETE FROM gateway_credentials WHERE store_id = $1 AND method_id <> ALL ($2)`;

const MAX_NAMED = 20;

interface Stored extends Readonly<Record<keyof typeof SETTINGS.properties, unknown>> {
  /** The payment methods with stored credentials. */
  readonly held: readonly string[];
}

/** Reads and checks settings like the import of a store. */
@Injectable()
export class BundleStoreSettings extends StoreSettings {
  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  override async find(storeId: number): Promise<SettingsRecord> {
    return shown(theStore(await this.database.queryPrepared<Stored>(READ, [storeId])));
  }

  override change(storeId: number, { settings, expected, origin }: SettingsChange): Promise<SettingsRecord> {
    return this.database.transaction(storeId, async (sql) => {
      await sql.query(LOCK, [storeId]);
      const before = await readStored(sql, storeId);
      refuseStale(shown(before), expected);
      const changed = await this.write(sql, storeId, before, settings);
      const after = await readStored(sql, storeId);
      if (changed.length > 0) {
        const [from, to] = [audited(before), audited(after)];
        const changes = Object.fromEntries(changed.map((name) => [name, [from[name], to[name]] as const]));
        const subject = { kind: 'settings', id: '', name: '' } as const;
        await recordAudit(sql, storeId, origin, { action: 'settings.changed', subject, changes });
      }
      return shown(after);
    });
  }

  /** Returns the names of the settings that it has changed. */
  private async write(sql: Sql, storeId: number, before: Stored, settings: SettingsFields): Promise<string[]> {
    const faults: LineFault[] = [];
    const row = await restored(sql, settings, before, faults);
    if (faults.length > 0) throw new SettingsRefused(faults.slice(0, MAX_NAMED));
    const changed = Object.entries(row).flatMap(([name, value]) => {
      return isDeepStrictEqual(value, before[name as keyof Stored]) ? [] : [name];
    });
    if (changed.length > 0) await sql.query(UPDATE, [storeId, JSON.stringify(row)]);
    if (!settings.payment_settings) return changed;
    const methods = settings.payment_settings.methods ?? [];
    await sql.query(DROP_CREDENTIALS, [storeId, methods.map(({ methodId }) => methodId)]);
    const given = methods.flatMap(({ credentials, ...method }) => {
      return credentials === undefined || credentials === 'set' ? [] : [{ ...method, credentials }];
    });
    await keepCredentials({ sql, cipher: this.cipher }, storeId, { methods: given });
    const hasNew = given.some(
      ({ methodId, credentials }) => holdsCredentials(credentials) || before.held.includes(methodId),
    );
    return hasNew ? [...new Set([...changed, 'payment_settings'])] : changed;
  }
}

async function readStored(sql: Sql, storeId: number): Promise<Stored> {
  return theStore(await sql.query<Stored>(READ, [storeId]));
}

function theStore([store]: readonly Stored[]): Stored {
  if (!store) throw new NotFound('Store');
  return store;
}

function shown({ held, ...stored }: Stored): SettingsRecord {
  const { methods: _, ...others } = maskedSettings(stored.payment_settings);
  return {
    ...stored,
    contact: pickDeclared(maskedSettings(stored.contact), contact),
    theme: maskedSettings(stored.theme),
    payment_settings: { ...others, ...paymentMethodsShown(stored.payment_settings, held) },
    ecommerce_settings: maskedSettings(stored.ecommerce_settings),
    fraud_settings: pickDeclared(stored.fraud_settings, fraudSettings),
    charge_settings: pickDeclared(stored.charge_settings, chargeSettings),
  };
}

/** Blocked contacts are personal data of customers, which an erasure could not remove from the audit. */
function audited(stored: Stored): SettingsRecord {
  const counted = (name: string, value: unknown) =>
    name.startsWith('blocked_') && Array.isArray(value) ? `${value.length} blocked` : value;
  const settings = shown(stored);
  const fraud = Object.entries(settings['fraud_settings'] as object).map(([name, value]) => [
    name,
    counted(name, value),
  ]);
  return { ...settings, fraud_settings: Object.fromEntries(fraud) as unknown };
}

function refuseStale(present: SettingsRecord, expected: SettingsRecord): void {
  const changed = Object.keys(expected).filter((name) => !isDeepStrictEqual(present[name], expected[name]));
  if (changed.length > 0) throw new StaleSettings(changed);
}

/** Returns the columns that change, with the stored secrets, and adds what does not fit the store to `faults`. */
async function restored(sql: Sql, settings: SettingsFields, before: Stored, faults: LineFault[]) {
  const { time_zone: zone, payment_settings: payments, ...others } = settings;
  if (zone !== undefined && !(await knownZones(sql, [zone])).has(zone)) {
    faults.push({ path: 'time_zone', message: UNKNOWN_ZONE });
  }
  const missing = (path: string) => {
    faults.push({ path, message: 'has no stored secret to keep, or several: send the secret itself' });
  };
  const withSecrets = <Value>(name: keyof SettingsFields, value: Value) =>
    typeof value === 'object' && value !== null
      ? withStoredSecrets(value, before[name], (path) => missing(`${name}${path}`))
      : value;
  for (const [index, { methodId, credentials }] of (payments?.methods ?? []).entries()) {
    if (credentials === 'set' && !before.held.includes(methodId)) {
      missing(`payment_settings.methods[${index}].credentials`);
    }
  }
  const rows = Object.entries(others).map(([name, value]) => [name, withSecrets(name as keyof SettingsFields, value)]);
  return {
    ...(Object.fromEntries(rows) as Readonly<Record<string, unknown>>),
    ...(zone !== undefined && { time_zone: zone }),
    ...(payments && { payment_settings: withSecrets('payment_settings', withoutCredentials(payments)) }),
  };
}

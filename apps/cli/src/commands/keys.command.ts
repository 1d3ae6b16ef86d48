import {
  ApiKeyRepository,
  ApiKeysService,
  StoreRepository,
  type ApiKeyStatus,
  type ApiKeyRecord,
} from '@app/application';
import { NotFound, WRITE_SCOPES, type ApiKeyMode, type ApiKeyScope } from '@app/domain';
import { Option, type Command } from 'commander';
import { withApplication } from '../database.js';
import {
  dayCount,
  displayName,
  futureMoment,
  keyId,
  keyScope,
  networks,
  subdomain,
  overlapMs,
} from '../option-values.js';
import { printJson, say } from '../output.js';

interface CreateOptions {
  readonly store: string;
  readonly mode: ApiKeyMode;
  readonly scope?: ApiKeyScope;
  readonly from?: readonly string[];
  readonly trusted?: boolean;
  readonly name?: string;
  readonly expiresAt?: Date;
}

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('create, list, roll, revoke, deactivate and activate API keys, and see their use');

  keys
    .command('create')
    .description('create a key and print it; it cannot be shown again')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .addOption(new Option('--mode <mode>', 'the mode of the key').choices(['live', 'test']).default('live'))
    .option(
      '--scope <words...>',
      `full, or read, or permissions besides reading: some of ${WRITE_SCOPES.join(',')} (default: full)`,
      keyScope,
    )
    .option(
      '--from <networks...>',
      'where it may be used, such as 192.0.2.0/24,2001:db8::/32 (default: anywhere)',
      networks,
    )
    .option('--trusted', 'for an ERP: the velocity rules of the fraud analysis neither judge nor count its orders')
    .option('--name <N>', 'display name', displayName)
    .option('--expires-at <T>', 'the time at which it stops working, in ISO 8601', futureMoment)
    .addHelpText(
      'after',
      '\nExamples:\n  keys create --store acme\n  keys create --store acme --scope read --name "BI"\n  keys create --store acme --scope fulfillment --name "Warehouse"\n  keys create --store acme --mode test --name "CI" --expires-at 2027-01-31T00:00:00Z',
    )
    .action((options: CreateOptions) => withApplication((app) => create(app.get(ApiKeysService), options)));

  keys
    .command('list')
    .description('list the keys of a store, oldest first; the keys themselves are not stored')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .action(({ store: name }: { store: string }) =>
      withApplication(async (app) => {
        const store = await app.get(StoreRepository).require(name);
        const records = await app.get(ApiKeyRepository).list(store.id);
        printJson(records.map((record) => keyJson(record, name)));
      }),
    );

  addRoll(keys);
  addUsage(keys);
  addStatusChange(keys, 'revoke', 'REVOKED', 'refuse a key forever, from the next request on');
  addStatusChange(keys, 'deactivate', 'DEACTIVATED', 'refuse a key until it is activated');
  addStatusChange(keys, 'activate', 'ACTIVE', 'accept a deactivated key again');
}

async function create(apiKeys: ApiKeysService, options: CreateOptions): Promise<void> {
  const { store, mode, scope = 'full', from = [], trusted = false, name = '', expiresAt = null } = options;
  const command = { store, mode, scope, networks: from, trusted, name, expiresAt };
  const { key, ...record } = await apiKeys.create(command);
  printNewKey(record, key, store);
}

function addUsage(keys: Command): void {
  keys
    .command('usage')
    .description('show the requests of each key by UTC day; the last minute may be missing')
    .option('--store <S>', 'subdomain of the store (default: all stores)', subdomain)
    .option('--days <N>', 'the number of days, including today', dayCount, 7)
    .action(({ store, days }: { store?: string; days: number }) =>
      withApplication(async (app) =>
        printJson(await usage(app.get(StoreRepository), app.get(ApiKeyRepository), days, store)),
      ),
    );
}

async function usage(stores: StoreRepository, apiKeys: ApiKeyRepository, days: number, only?: string) {
  const chosen = (await stores.list()).filter(({ subdomain }) => only === undefined || subdomain === only);
  if (only !== undefined && chosen.length === 0) throw new NotFound(`Store ${only}`);
  const rows: object[] = [];
  for (const { id, subdomain } of chosen) {
    const names = new Map((await apiKeys.list(id)).map((key) => [key.id, key.name]));
    for (const { keyId, day, requests, throttled } of await apiKeys.listUsage(id, days)) {
      rows.push({ store: subdomain, key_id: keyId, name: names.get(keyId) ?? '', day, requests, throttled });
    }
  }
  return rows;
}

function addStatusChange(keys: Command, verb: string, status: ApiKeyStatus, description: string): void {
  keys
    .command(verb)
    .description(description)
    .argument('<id>', 'id of the key', keyId)
    .action((id: string) =>
      withApplication(async (app) => {
        const record = await app.get(ApiKeysService).setStatus(id, status);
        const store = await app.get(StoreRepository).findProfile(record.storeId);
        if (status === 'ACTIVE' && isExpired(record)) say('The key has expired: it stays refused.');
        printJson(keyJson(record, store?.subdomain ?? ''));
      }),
    );
}

interface RollOptions {
  readonly overlap: number;
  readonly expiresAt?: Date;
}

function addRoll(keys: Command): void {
  keys
    .command('roll')
    .description(
      'replace a key by a new one with the same store, mode, scope, networks, trust and name, and print the new key',
    )
    .argument('<id>', 'id of the old key', keyId)
    .requiredOption('--overlap <D>', 'how long the old key still works, from 1s to 90d', overlapMs)
    .option('--expires-at <T>', 'the time at which the new key stops working, in ISO 8601', futureMoment)
    .addHelpText(
      'after',
      '\nThe old key keeps an earlier end. A key has one successor: if its text is lost, revoke it and roll again.' +
        '\nAfter a leak, use `keys revoke`, which takes effect at once.' +
        '\n\nExample:\n  keys roll 01a20066-13fe-7403-821d-09fa5dc281da --overlap 7d',
    )
    .action((id: string, { overlap, expiresAt }: RollOptions) =>
      withApplication(async (app) => {
        const rolled = await app.get(ApiKeysService).roll(id, overlap, expiresAt ?? null);
        const { key, successor, oldKeyExpiresAt } = rolled;
        const store = await app.get(StoreRepository).findProfile(successor.storeId);
        say(`The old key stops working at ${oldKeyExpiresAt.toISOString()}.`);
        printNewKey(successor, key, store?.subdomain ?? '', { replaces: { id, expires_at: oldKeyExpiresAt } });
      }),
    );
}

function printNewKey(record: ApiKeyRecord, key: string, store: string, more: object = {}): void {
  say('Keep the key in a safe place: it cannot be shown again.');
  const { id, ...rest } = keyJson(record, store);
  printJson({ id, key, ...rest, ...more });
}

const isExpired = ({ expiresAt }: ApiKeyRecord): boolean => expiresAt !== null && expiresAt <= new Date();

/** Lists every field: neither the key nor its hash may be among them. */
function keyJson(record: ApiKeyRecord, store: string) {
  return {
    id: record.id,
    mode: record.mode,
    scope: record.scope,
    networks: record.networks,
    trusted: record.trusted,
    name: record.name,
    store,
    status: record.status,
    prefix: record.prefix,
    last_four: record.lastFour,
    expires_at: record.expiresAt,
    expired: isExpired(record),
    last_used_at: record.lastUsedAt,
    created_at: record.createdAt,
  };
}

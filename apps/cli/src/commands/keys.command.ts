import {
  ApiKeyRepository,
  ApiKeysService,
  hashApiKey,
  StoreRepository,
  type ApiKeyStatus,
  type ApiKeyRecord,
  type ApiKeySpec,
} from '@app/application';
import { operator } from '@app/infrastructure';
import type { INestApplicationContext } from '@nestjs/common';
import { Option, type Command } from 'commander';
import { addCommand, chosenStores, printResult, subdomainOf } from '../command.js';
import { addYes, ago, confirm, type YesOption } from '../confirm.js';
import { withApplication } from '../database.js';
import {
  dayCount,
  displayName,
  EXPIRY_FORMS,
  expiry,
  expiryOrNever,
  KEY_SCOPES,
  keyId,
  keyScope,
  networks,
  subdomain,
  overlapMs,
} from '../option-values.js';
import { print, printWithSecret, say } from '../output.js';

const CREATE_HELP = `Examples:
  keys create --store acme
  keys create --store acme --scope read --name "BI"
  keys create --store acme --scope fulfillment --name "Warehouse"
  keys create --store acme --mode test --name "CI" --expires-at 90d
  keys create --store acme --print-map`;

const ROLL_HELP = `The old key keeps its expiry if that is earlier. A key has one successor: if its secret is lost, revoke it and roll again.
After a leak, use \`keys revoke\`, which takes effect immediately.

Example:
  keys roll 01a20066-13fe-7403-821d-09fa5dc281da --overlap 7d`;

interface MapOption {
  readonly printMap?: true;
}

type CreateOptions = Partial<ApiKeySpec> &
  Pick<ApiKeySpec, 'mode'> &
  MapOption & { readonly store: string; readonly from?: readonly string[] };

const byOperator = () => ({ actor: operator(), key: null });

export function addKeys(program: Command): void {
  const what = 'create, list, roll, revoke, deactivate and activate API keys, and show their usage';
  const keys = addCommand(program, 'keys', what);

  addPrintMap(addCommand(keys, 'create', 'create a key and print it; it cannot be shown again', CREATE_HELP))
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .addOption(new Option('--mode <mode>', 'the mode of the key').choices(['live', 'test']).default('live'))
    .option('--scope <words...>', `${KEY_SCOPES} (default: full, which lacks keys)`, keyScope)
    .option('--from <networks...>', 'allowed networks, such as 192.0.2.0/24,2001:db8::/32 (default: any)', networks)
    .option('--trusted', 'for an ERP: the velocity rules of the fraud analysis ignore its orders')
    .option('--name <N>', 'display name', displayName)
    .option('--expires-at <T>', `expiry: ${EXPIRY_FORMS}`, expiry)
    .action(({ from: networks = [], store, printMap, ...options }: CreateOptions) =>
      withApplication(async (app) => {
        const defaults = { scope: 'full', trusted: false, name: '', expiresAt: null } as const;
        const { id } = await app.get(StoreRepository).require(store);
        const spec = { ...defaults, ...options, networks };
        const { key, ...record } = await app.get(ApiKeysService).create(id, spec, byOperator());
        printNewKey(record, key, store, mapLine(key, store, printMap));
      }),
    );

  addCommand(keys, 'list', 'list the keys of a store, oldest first; the keys themselves are not stored')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .option('--hashes', 'include the SHA-256 of each key, by which a router finds its cluster')
    .action(({ store: name, hashes }: { store: string; hashes?: true }) =>
      withApplication(async (app) => {
        const { id } = await app.get(StoreRepository).require(name);
        const apiKeys = app.get(ApiKeyRepository);
        const { rows } = await apiKeys.list(id, null);
        const known = hashes && (await apiKeys.listHashes(id));
        const withHash = (record: ApiKeyRecord) => (known ? { sha256: known.get(record.id) } : {});
        print(
          rows.map((record) => ({ ...keyJson(record, name), ...withHash(record) })),
          rows.map((record) => ({ ...shortKey(record), ...withHash(record) })),
        );
      }),
    );

  addRoll(keys);
  addUsage(keys);
  addYes(
    addStatusChange(keys, 'revoke', 'REVOKED', 'refuse a key permanently, from the next request on', confirmRevoke),
  );
  addStatusChange(keys, 'deactivate', 'DEACTIVATED', 'refuse a key until it is activated');
  addStatusChange(keys, 'activate', 'ACTIVE', 'accept a deactivated key again');
}

function addUsage(keys: Command): void {
  addCommand(keys, 'usage', 'show the requests of each key by UTC day; the last minute may be missing')
    .option('--store <S>', 'subdomain of the store (default: all stores)', subdomain)
    .option('--days <N>', 'the number of days, including today', dayCount, 7)
    .action(({ store, days }: { store?: string; days: number }) =>
      printResult(async (app) => {
        const apiKeys = app.get(ApiKeyRepository);
        const rows: object[] = [];
        for (const { id, subdomain } of await chosenStores(app, store)) {
          for (const used of (await apiKeys.listUsage(id, days, null)).rows) {
            const { keyId: key_id, name, day, requests, throttled, refused } = used;
            rows.push({ store: subdomain, key_id, name, day, requests, throttled, refused });
          }
        }
        return rows;
      }),
    );
}

async function confirmRevoke(app: INestApplicationContext, id: string, options: YesOption): Promise<void> {
  const apiKeys = app.get(ApiKeyRepository);
  const reference = await apiKeys.locate(id);
  const key = reference && (await apiKeys.find(reference));
  if (!key) return;
  const use = key.lastUsedAt ? `last used ${ago(key.lastUsedAt)}` : 'never used';
  await confirm(`Revoke the key ${key.name || id} (…${key.lastFour}), ${use}?`, options);
}

function addStatusChange(
  keys: Command,
  verb: string,
  status: ApiKeyStatus,
  description: string,
  before: typeof confirmRevoke = () => Promise.resolve(),
): Command {
  return addCommand(keys, verb, description)
    .argument('<id>', 'id of the key', keyId)
    .action((id: string, options: YesOption) =>
      printResult(async (app) => {
        await before(app, id, options);
        const apiKeys = app.get(ApiKeysService);
        const record = await apiKeys.setStatus(await apiKeys.locate(id), status, byOperator());
        if (status === 'ACTIVE' && isExpired(record)) say('The key has expired: it stays refused.');
        return keyJson(record, await subdomainOf(app, record.storeId));
      }),
    );
}

interface RollOptions extends MapOption {
  readonly overlap: number;
  readonly expiresAt?: Date | 'never';
}

function addRoll(keys: Command): void {
  const what = 'replace a key with a new one of the same store, mode, scope, networks, trust and name, and print it';
  addPrintMap(addCommand(keys, 'roll', what, ROLL_HELP))
    .argument('<id>', 'id of the old key', keyId)
    .requiredOption('--overlap <D>', 'how long the old key still works, from 1s to 90d', overlapMs)
    .option(
      '--expires-at <T>',
      `expiry of the new key: never, ${EXPIRY_FORMS} (default: the lifetime of the old key, counted from now)`,
      expiryOrNever,
    )
    .action((id: string, { overlap, expiresAt, printMap }: RollOptions) =>
      withApplication(async (app) => {
        const apiKeys = app.get(ApiKeysService);
        const end = expiresAt === 'never' ? null : expiresAt;
        const rolled = await apiKeys.roll(await apiKeys.locate(id), overlap, end, byOperator());
        const { key, successor, oldKeyExpiresAt } = rolled;
        const store = await subdomainOf(app, successor.storeId);
        say(`The old key stops working at ${oldKeyExpiresAt.toISOString()}.`);
        const replaces = { id, expires_at: oldKeyExpiresAt };
        printNewKey(successor, key, store, { replaces, ...mapLine(key, store, printMap) });
      }),
    );
}

function addPrintMap(command: Command): Command {
  return command.option(
    '--print-map',
    'also print the line for the map of a router: the SHA-256 of the key, and the store',
  );
}

function mapLine(key: string, store: string, isRequested = false): object {
  return isRequested ? { map_line: `${hashApiKey(key).toString('hex')} ${store}` } : {};
}

function printNewKey(record: ApiKeyRecord, key: string, store: string, more: object): void {
  say('Keep the key in a safe place: it cannot be shown again.');
  printWithSecret('key', key, { ...keyJson(record, store), ...more });
}

const isExpired = ({ expiresAt }: ApiKeyRecord): boolean => expiresAt !== null && expiresAt <= new Date();

/** Keeps the table as narrow as possible. */
function shortKey(record: ApiKeyRecord) {
  const { id, mode, scope, networks, trusted, name, status, lastFour, expiresAt, lastUsedAt, createdBy } = record;
  return {
    ...{ id, mode, scope: scope.split(','), networks, trusted: trusted || '', name, ends: lastFour },
    refused: status !== 'ACTIVE' ? status.toLowerCase() : isExpired(record) ? 'expired' : '',
    ...{ expires: expiresAt?.toISOString().slice(0, 10), last_used: lastUsedAt },
    created_by: createdBy.name || createdBy.type,
  };
}

/** Lists every field by hand: neither the key nor its hash may be among them. */
function keyJson(record: ApiKeyRecord, store: string) {
  const { id, mode, scope, networks, trusted, name, status, prefix } = record;
  const { lastFour: last_four, expiresAt: expires_at, lastUsedAt: last_used_at, createdAt: created_at } = record;
  const expired = isExpired(record);
  const times = { expires_at, expired, last_used_at, created_at };
  const origin = { created_by: record.createdBy, successor_id: record.successorId };
  return { id, mode, scope, networks, trusted, name, store, status, prefix, last_four, ...times, ...origin };
}

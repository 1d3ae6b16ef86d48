import { readdirSync } from 'node:fs';
import path from 'node:path';
import { CHANGE_KINDS, readNetwork, type ChangeKind } from '@app/application';
import {
  AMOUNT,
  foldMailAddress,
  integerFrom,
  isStorable,
  MAX_SECRET_OVERLAP_MS,
  MAX_WEBHOOK_BATCH,
  parseApiKeyScope,
  readUuid,
  type ApiKeyScope,
  VALUES,
  type ValueReader,
  WRITE_SCOPES,
} from '@app/domain';
import { assertIsOwn } from '@app/infrastructure';
import { KINDS_IN_ORDER, type BundleKind } from '@app/bundles';
import { InvalidArgumentError } from 'commander';
import { CommandFailed, EXIT } from './failures.js';

const PLURALS: Partial<Record<BundleKind, string>> = { category: 'categories', stock: 'stock' };
const KINDS = new Map(KINDS_IN_ORDER.map((kind) => [PLURALS[kind] ?? `${kind}s`, kind]));

const option =
  <T>({ read, rule }: ValueReader<T>) =>
  (text: string): T => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`It ${rule}.`);
    return value;
  };

export const subdomain = option(VALUES.subdomain);
export const currency = option(VALUES.currency);
export const externalReference = option(VALUES.reference);
export const orderReference = option({
  rule: 'must be an order id or a receipt number',
  read: (text) => readUuid(text) ?? VALUES.receiptNumber.read(text),
});
export const reasonName = option({
  rule: 'must be the name of a rule, such as email_velocity',
  read: (text) => (/^[a-z][a-z0-9_]*$/.test(text) ? text : null),
});
export const dayCount = option(integerFrom(1, 366));
export const webhookBatch = option(integerFrom(1, MAX_WEBHOOK_BATCH));
export const rowCount = option(integerFrom(1, 1_000));
export const storeId = option(integerFrom(1, 2_000_000_000));
export const minorUnits = option(AMOUNT);

/** Operators may give `keys` and `settings`, which `full` does not contain. */
const GIVEN_SCOPES = [...WRITE_SCOPES, 'pricing', 'keys', 'settings'].join(',');

export const KEY_SCOPES = `full, or read, or one or more of ${GIVEN_SCOPES}, each of which includes read`;

export function keyScope(text: string, previous?: ApiKeyScope): ApiKeyScope {
  const scope = parseApiKeyScope(previous ? `${previous},${text}` : text);
  if (scope) return scope;
  throw new InvalidArgumentError(
    text.split(',').some((word) => word.trim() === 'team')
      ? 'No key has the scope team: people manage the team.'
      : `Specify full alone, or read, or one or more of ${GIVEN_SCOPES}.`,
  );
}

export function networks(text: string, previous: readonly string[] = []): string[] {
  const given = text.split(',').map((part) => {
    const { network, instead } = readNetwork(part);
    if (network !== null) return network;
    const forms = instead.length > 0 ? instead.join(' or ') : 'networks such as 192.0.2.0/24,2001:db8::/32';
    throw new InvalidArgumentError(`Specify ${forms} instead of '${part}'.`);
  });
  return [...new Set([...previous, ...given])];
}

/** Refuses `-`: standard output is for reports, and the dash must not become a file name. */
export function newFile(text: string): string {
  if (text === '-') throw new InvalidArgumentError('Specify the name of a file.');
  return path.resolve(text);
}

export function displayName(text: string): string {
  const name = VALUES.displayName.read(text);
  if (name !== null) return name;
  // The error of commander is avoided, because it repeats the value, including line breaks.
  throw new CommandFailed(`--name ${VALUES.displayName.rule}.`, EXIT.usage);
}

/** Avoids the error of commander, which repeats the value: it may be a key or a secret, or a part of it. */
const idOr = (remedy: string) => (text: string) => {
  const id = readUuid(text);
  if (id === null) throw new CommandFailed(remedy, EXIT.usage);
  return id;
};

export const keyId = idOr('Specify the id of a key, as `keys list` shows it.');
export const webhookId = idOr('Specify the id of a webhook, as `webhooks list` shows it.');

export function changeKinds(text: string, previous: readonly ChangeKind[] = []): ChangeKind[] {
  const names: string[] = [...previous, ...text.split(',').map((name) => name.trim())];
  const kinds = CHANGE_KINDS.filter((kind) => names.includes(kind));
  if (names.every((name) => kinds.some((kind) => kind === name))) return kinds;
  throw new InvalidArgumentError(`Specify one or more of ${CHANGE_KINDS.join(',')}.`);
}

export function replayStart(text: string): string | Date {
  if (/^[\w-]{40,}$/.test(text)) return text;
  const time = moment(text);
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('Specify a cursor, or a moment in the past.');
  return time;
}

export const moment = option(VALUES.time);

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const MAX_LIFE_MS = 36_500 * UNIT_MS.d;

/** Returns NaN if the text is not a duration. */
function durationMs(text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const duration = (least: number, most: number, range: string) => (text: string) => {
  const milliseconds = durationMs(text);
  if (milliseconds >= least && milliseconds <= most) return milliseconds;
  throw new InvalidArgumentError(`Specify ${range}: a number of seconds (s), minutes (m), hours (h) or days (d).`);
};

export const overlapMs = duration(1, 90 * UNIT_MS.d, '1s to 90d');
export const secretOverlapMs = duration(0, MAX_SECRET_OVERLAP_MS, '0s to 7d');

export function bundleKinds(text: string, previous: readonly BundleKind[] = []): BundleKind[] {
  const given = text.split(',').map((name) => {
    const kind = KINDS.get(name.trim());
    if (!kind) throw new InvalidArgumentError(`Specify one or more of ${[...KINDS.keys()].join(',')}.`);
    return kind;
  });
  return [...previous, ...given];
}

/** Avoids the error of commander, which repeats the value. @param what names the option or the argument. */
const emailOfPerson = (what: string) => (text: string) => {
  const email = VALUES.email.read(text.trim());
  if (email !== null) return foldMailAddress(email);
  throw new CommandFailed(`${what} ${VALUES.email.rule}.`, EXIT.usage);
};

export const emailOption = emailOfPerson('--email');
export const emailArgument = emailOfPerson('EMAIL');

/** Accepts any text, because imported orders may have an e-mail that is not an address. */
export function emailOfOrder(text: string): string {
  const email = text.trim();
  // The error of commander is avoided, because it repeats the value.
  if (email === '' || !isStorable(email)) throw new CommandFailed('Specify an e-mail.', EXIT.usage);
  return email;
}

/** The forms of an expiry, as the help of options lists them. */
export const EXPIRY_FORMS = '2027-01-01 (from 00:00 UTC on that day), 2027-01-01T09:30:00Z, or 90d or 12h from now';

export function expiry(text: string): Date {
  const fromNow = durationMs(text);
  const isFromNow = fromNow > 0 && fromNow <= MAX_LIFE_MS;
  const end = isFromNow ? new Date(Date.now() + fromNow) : (VALUES.time.read(text) ?? VALUES.day.read(text));
  if (end && end.getTime() > Date.now()) return end;
  throw new InvalidArgumentError(`Specify a time in the future: ${EXPIRY_FORMS}.`);
}

/** Uses a word instead of null for never: commander would turn null into an empty text. */
export const expiryOrNever = (text: string): Date | 'never' => (text === 'never' ? text : expiry(text));

/** The modules that export the migrations of an extension. */
export interface MigrationFiles {
  readonly schema: string;
  readonly files: readonly string[];
}

/** Reads a schema and the directory of its migrations, such as `loyalty=dist/migrations`. */
export function migrationFiles(text: string): MigrationFiles {
  const [schema = '', directory] = text.split(/=(.*)/s);
  if (!directory) throw new InvalidArgumentError('Specify a schema and a directory, such as loyalty=dist/migrations.');
  try {
    assertIsOwn(schema);
    const files = readdirSync(directory).filter((name) => name.endsWith('.js'));
    if (files.length === 0) throw new Error(`No migrations in ${directory}`);
    return { schema, files: files.map((name) => path.resolve(directory, name)) };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { CHANGE_KINDS, readNetwork, type ChangeKind } from '@app/application';
import {
  foldMailAddress,
  isCurrency,
  isDisplayName,
  isExternalReference,
  isInCalendar,
  isMailAddress,
  isReceiptNumber,
  isStorable,
  MAX_SECRET_OVERLAP_MS,
  MAX_WEBHOOK_BATCH,
  parseApiKeyScope,
  readUuid,
  type ApiKeyScope,
  WRITE_SCOPES,
} from '@app/domain';
import { assertIsOwn } from '@app/infrastructure';
import { KINDS_IN_ORDER, isSubdomain, type BundleKind } from '@app/bundles';
import { InvalidArgumentError } from 'commander';
import { CommandFailed, EXIT } from './failures.js';

const PLURALS: Partial<Record<BundleKind, string>> = { category: 'categories', stock: 'stock' };
const KINDS = new Map(KINDS_IN_ORDER.map((kind) => [PLURALS[kind] ?? `${kind}s`, kind]));
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

const textIf = (isValid: (text: string) => boolean, remedy: string) => (text: string) => {
  if (!isValid(text)) throw new InvalidArgumentError(remedy);
  return text;
};

const integer = (minimum: number, maximum: number, remedy: string) => (text: string) => {
  const number = Number(text);
  if (!/^\d{1,16}$/.test(text) || number < minimum || number > maximum) throw new InvalidArgumentError(remedy);
  return number;
};

export const subdomain = textIf(isSubdomain, 'Specify 1 to 63 lower-case letters, digits and inner hyphens.');
export const currency = textIf(isCurrency, 'Specify an ISO 4217 code such as USD.');
export const orderReference = textIf(
  (text) => readUuid(text) !== null || isReceiptNumber(text),
  'Specify an order id or a receipt number.',
);
export const externalReference = textIf(isExternalReference, 'Specify 1 to 64 visible characters.');
export const reasonName = textIf(
  (text) => /^[a-z][a-z0-9_]*$/.test(text),
  'Specify the name of a rule, such as email_velocity.',
);
export const dayCount = integer(1, 366, 'Specify 1 to 366 days.');
export const webhookBatch = integer(1, MAX_WEBHOOK_BATCH, `Specify 1 to ${MAX_WEBHOOK_BATCH}.`);
export const rowCount = integer(1, 1_000, 'Specify 1 to 1000.');
export const storeId = integer(1, 2_000_000_000, 'Specify 1 to 2000000000.');
export const minorUnits = integer(
  0,
  Number.MAX_SAFE_INTEGER,
  'Specify an integer of minor units, such as 1999 for 19.99 USD.',
);

/** Operators may give `keys`, which `full` does not contain. */
const GIVEN_SCOPES = [...WRITE_SCOPES, 'pricing', 'keys'].join(',');

export const KEY_SCOPES = `full, or read, or permissions besides reading: some of ${GIVEN_SCOPES}`;

export function keyScope(text: string, previous?: ApiKeyScope): ApiKeyScope {
  const scope = parseApiKeyScope(previous ? `${previous},${text}` : text);
  if (scope) return scope;
  throw new InvalidArgumentError(
    text.split(',').some((word) => word.trim() === 'team')
      ? 'No key has the scope team: people manage the team.'
      : `Specify full alone, or read or some of ${GIVEN_SCOPES}.`,
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
  const name = text.trim();
  if (isDisplayName(name)) return name;
  // The error of commander is avoided, because it repeats the value, including line breaks.
  throw new CommandFailed(
    '--name must be 1 to 200 characters on one line, some of them visible, without control characters.',
    EXIT.usage,
  );
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
  throw new InvalidArgumentError(`Specify some of ${CHANGE_KINDS.join(',')}.`);
}

export function replayStart(text: string): string | Date {
  if (/^[\w-]{40,}$/.test(text)) return text;
  const time = moment(text);
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('Specify a cursor, or a moment in the past.');
  return time;
}

export function moment(text: string): Date {
  const time = timeOf(text);
  if (time) return time;
  throw new InvalidArgumentError('Specify a timestamp with a time zone, such as 2026-11-20T09:30:00Z.');
}

function timeOf(text: string): Date | null {
  const time = new Date(text);
  const isTime = TIMESTAMP.test(text) && isInCalendar(time) && isDay(text.slice(0, 10));
  return isTime ? time : null;
}

/** Refuses 30 February, which `Date` reads as 2 March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text;
}

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
    if (!kind) throw new InvalidArgumentError(`Specify some of ${[...KINDS.keys()].join(',')}.`);
    return kind;
  });
  return [...previous, ...given];
}

/** Avoids the error of commander, which repeats the value. @param what names the option or the argument. */
const emailOfPerson = (what: string) => (text: string) => {
  const email = text.trim();
  if (isMailAddress(email)) return foldMailAddress(email);
  throw new CommandFailed(`${what} must be one e-mail address (name@domain).`, EXIT.usage);
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
  const end = fromNow > 0 && fromNow <= MAX_LIFE_MS ? new Date(Date.now() + fromNow) : (timeOf(text) ?? dayOf(text));
  if (end && end.getTime() > Date.now()) return end;
  throw new InvalidArgumentError(`Specify a time in the future: ${EXPIRY_FORMS}.`);
}

/** Uses a word instead of null for never: commander would turn null into an empty text. */
export const expiryOrNever = (text: string): Date | 'never' => (text === 'never' ? text : expiry(text));

/** Returns the first moment of the day, in UTC. */
function dayOf(text: string): Date | null {
  const day = new Date(text);
  return isDay(text) && isInCalendar(day) ? day : null;
}

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

import { isDeepStrictEqual } from 'node:util';
import { holdsSecret, isSecretName } from './secret-detection.js';

export interface PublicPaymentMethod {
  readonly methodId: string;
  readonly enabled: boolean;
  /** Absent for payment methods without a gateway. */
  readonly isSandbox?: boolean;
  readonly hasCredentials: boolean;
}

/** Settings nested deeper than this are dropped: no form writes them, and the filter recurses. */
export const MAX_SETTINGS_DEPTH = 32;

const LOCAL_METHODS = new Set(['cod', 'offline', 'cash']);

/**
 * Selects fields from an allow-list, because a gateway may add any setting. A flag that is not exactly `true` is
 * `false`.
 */
export function publicPaymentSettings(
  settings: unknown,
  hasCredentials: (methodId: string) => boolean,
): { methods: PublicPaymentMethod[] } {
  const entries = isRecord(settings) && Array.isArray(settings.methods) ? (settings.methods as unknown[]) : [];
  const methods = entries.filter(isRecord).flatMap(({ methodId, enabled, isSandbox }): PublicPaymentMethod[] => {
    if (typeof methodId !== 'string' || methodId.trim() === '' || holdsSecret(methodId)) return [];
    const sandbox = LOCAL_METHODS.has(methodId.trim().toLowerCase()) ? {} : { isSandbox: isSandbox === true };
    return [{ methodId, enabled: enabled === true, ...sandbox, hasCredentials: hasCredentials(methodId) }];
  });
  return { methods };
}

/** What is shown in the place of a secret; `undefined` omits it. */
type Instead = 'set' | undefined;

/** Drops what looks secret: members by their name, texts by their content. It prefers to drop too much. */
export function publicSettings(settings: unknown): Record<string, unknown> {
  // @protects public-settings
  return isRecord(settings) ? publicRecord(settings, 1, undefined) : {};
}

/** Like {@link publicSettings}, but shows `set` in the place of each secret, so that the settings can be sent back. */
export function maskedSettings(settings: unknown): Record<string, unknown> {
  return isRecord(settings) ? publicRecord(settings, 1, MASK) : {};
}

/** Returns `undefined` when no part of the value may be shown. */
function publicValue(value: unknown, depth: number, instead: Instead): unknown {
  if (typeof value === 'string') return holdsSecret(value) ? instead : value;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (depth > MAX_SETTINGS_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const shown = value.map((element: unknown) => publicValue(element, depth + 1, instead));
    return shown.filter((element) => element !== undefined);
  }
  return isRecord(value) ? publicRecord(value, depth, instead) : undefined;
}

function publicRecord(record: Record<string, unknown>, depth: number, instead: Instead): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  const isSecret = secretMembersOf(record);
  for (const [name, value] of Object.entries(record)) {
    if (PROTOTYPE_NAMES.has(name) || holdsSecret(name)) continue;
    const publicPart = isSecret(name) ? instead : publicValue(value, depth + 1, instead);
    if (publicPart !== undefined) shown[name] = publicPart;
  }
  return shown;
}

function secretMembersOf(record: Record<string, unknown>): (name: string) => boolean {
  const namesSecret = Object.entries(record).some(([name, value]) => isNameOfSecret(name, value));
  return (name) => isSecretName(name) || (namesSecret && VALUE_MEMBERS.has(name.toLowerCase()));
}

/** What stands for a secret that is stored. */
const MASK = 'set';

/**
 * Replaces each `set` of {@link maskedSettings} by the stored secret. An entry of a list gets the secrets of the stored
 * entry that is shown like it, because a list may have a new order.
 * @param missing receives the path of each `set` without a stored secret, and of each entry of a changed list that several
 * stored entries are shown like.
 */
export function withStoredSecrets(given: object, stored: unknown, missing: (path: string) => void): unknown {
  return restored(given, stored, maskedSettings(stored), { path: '', isSecret: false, missing });
}

interface Place {
  readonly path: string;
  readonly isSecret: boolean;
  readonly missing: (path: string) => void;
}

function restored(given: unknown, stored: unknown, shown: unknown, place: Place): unknown {
  if (stored !== undefined && isDeepStrictEqual(given, shown)) return stored;
  if (Array.isArray(given)) {
    const [entries, views] = [listOf(stored), listOf(shown)];
    return given.map((entry: unknown, index) => {
      const at = { ...place, path: `${place.path}[${index}]` };
      const [first, ...others] = entries.filter((_, position) => isDeepStrictEqual(views[position], entry));
      if (first === undefined) return restored(entry, undefined, undefined, at);
      if (others.some((other) => !isDeepStrictEqual(other, first))) place.missing(at.path);
      return first;
    });
  }
  if (isRecord(given)) {
    const isSecret = secretMembersOf(given);
    const members = Object.entries(given).map(([name, value]) => {
      const [old, view] = [memberOf(stored, name), memberOf(shown, name)];
      return [name, restored(value, old, view, { ...place, path: `${place.path}.${name}`, isSecret: isSecret(name) })];
    });
    return Object.fromEntries(members) as unknown;
  }
  if (given === MASK && place.isSecret) place.missing(place.path);
  return given;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function memberOf(record: unknown, name: string): unknown {
  return isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
const NAME_MEMBERS = new Set('name,key,id,field,label,code,type,header,option,setting,property,variable'.split(','));
const VALUE_MEMBERS = new Set('value,values,val,default,defaultvalue,default_value'.split(','));

/** In `{ "name": "api_key", "value": "…" }`, the name of the secret is itself a value. */
function isNameOfSecret(name: string, value: unknown): boolean {
  return NAME_MEMBERS.has(name.toLowerCase()) && typeof value === 'string' && value.length <= 64 && isSecretName(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether any credential is configured. `{}`, blank texts, nulls and empty lists at any depth do not count. */
export function holdsCredentials(credentials: unknown): boolean {
  if (credentials === null || credentials === undefined) return false;
  if (typeof credentials === 'string') return credentials.trim() !== '';
  return typeof credentials !== 'object' || Object.values(credentials).some(holdsCredentials);
}

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

/** Drops what looks secret: members by their name, texts by their content. It prefers to drop too much. */
export function publicSettings(settings: unknown): Record<string, unknown> {
  // @protects public-settings
  return isRecord(settings) ? publicRecord(settings, 1) : {};
}

/** Returns `undefined` when no part of the value may be shown. */
function publicValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return holdsSecret(value) ? undefined : value;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (depth > MAX_SETTINGS_DEPTH) return undefined;
  if (Array.isArray(value)) {
    return value.map((element: unknown) => publicValue(element, depth + 1)).filter((element) => element !== undefined);
  }
  return isRecord(value) ? publicRecord(value, depth) : undefined;
}

function publicRecord(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  const namesSecret = Object.entries(record).some(([name, value]) => isNameOfSecret(name, value));
  for (const [name, value] of Object.entries(record)) {
    if (PROTOTYPE_NAMES.has(name) || isSecretName(name) || holdsSecret(name)) continue;
    if (namesSecret && VALUE_MEMBERS.has(name.toLowerCase())) continue;
    const publicPart = publicValue(value, depth + 1);
    if (publicPart !== undefined) shown[name] = publicPart;
  }
  return shown;
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

import { createHash } from 'node:crypto';
import { isSessionSecret, parseApiKey, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, type ApiKeyLookup } from '../ports/api-key.repository.js';
import { Networks } from './networks.js';

export type AuthenticationFailure =
  | 'missing' // there is no key, or its text has another form
  | 'unknown' // well-formed, but there is no such key
  | 'inactive' // revoked, deactivated or expired
  | 'address_not_allowed' // limited to other networks
  | 'store_inactive'
  | 'foreign_origin' // the request has a session but comes from a page of another site
  | 'stale_sign_in'; // the sign-in is too old for this request

/**
 * The maximum age of the sign-in for a request that gives access, or that shows or removes everything stored about a
 * person: a stolen laptop must not be able to do that.
 */
export const FRESH_SIGN_IN_MINUTES = 60;

/** The credential of a request: the key of a machine, or the session of a person in the cookie of the mode. */
export type Credential =
  | { readonly text: string; readonly isSession: false }
  | { readonly text: string; readonly isSession: true; readonly mode: ApiKeyMode };

export type Authentication =
  | { readonly key: ApiKeyLookup; readonly failure: null }
  | { readonly key: null; readonly failure: AuthenticationFailure; readonly refused: ApiKeyLookup | null };

@Injectable()
export class AuthenticateApiKey {
  constructor(private readonly apiKeys: ApiKeyRepository) {}

  /**
   * Resolves the store of a request. A refused request counts nothing, so a thief cannot use up the limit of a key.
   * @param credential undefined when the request has none.
   * @param address the address of the client.
   */
  async execute(credential: Credential | undefined, address: string): Promise<Authentication> {
    const found = await this.check(credential, address);
    if (found.key) this.apiKeys.touch(found.key);
    return found;
  }

  /** Checks like `execute`, for a running request that is already counted: its key may have been revoked in between. */
  async check(credential: Credential | undefined, address: string): Promise<Authentication> {
    // The two ways in stay apart: no header carries a session, and no cookie a key.
    // @protects session-in-cookie
    if (!credential || !isWellFormed(credential)) return { key: null, failure: 'missing', refused: null };

    const found = await this.apiKeys.findByHash(hashApiKey(credential.text));
    const key = found && { ...found, address };
    // Somebody set the cookie of the other mode by hand.
    const isOther = credential.isSession && key?.mode !== credential.mode;
    if (!key || isOther) return { key: null, failure: 'unknown', refused: null };
    const failure = failureOf(key, address);
    return failure ? { key: null, failure, refused: key } : { key, failure: null };
  }
}

function isWellFormed({ text, isSession }: Credential): boolean {
  return isSession ? isSessionSecret(text) : parseApiKey(text) !== null;
}

function failureOf(key: ApiKeyLookup, address: string): AuthenticationFailure | null {
  if (key.status !== 'ACTIVE' || key.expired) return 'inactive';
  if (key.networks.length > 0 && !new Networks(key.networks).has(address)) return 'address_not_allowed';
  return key.store.status === 'INACTIVE' ? 'store_inactive' : null;
}

/** Keys have 190 random bits, so an unsalted hash cannot be reversed by search. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

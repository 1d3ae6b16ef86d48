import { randomInt } from 'node:crypto';
import { API_KEY_SECRET, composeApiKey, type ApiKey, type ApiKeyMode } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import { hashApiKey } from './authenticate-api-key.js';

/** Draws the secret of a new key, with the id and the hash under which it is stored. */
export function drawApiKey(mode: ApiKeyMode): ApiKey & { readonly id: string; readonly hash: Buffer } {
  const symbols = Array.from({ length: API_KEY_SECRET.length }, () => randomInt(API_KEY_SECRET.symbols));
  const key = composeApiKey(mode, symbols);
  return { ...key, id: uuidv7(), hash: hashApiKey(key.text) };
}

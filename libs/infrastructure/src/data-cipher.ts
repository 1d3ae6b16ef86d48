import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from './config.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what must not be readable in a dump of the database. A ciphertext is: 4 bytes that identify the key, 12 of
 * IV, 16 of tag, then the text. It is bound to its place (`context`), so that it cannot be moved to another row.
 */
export class DataCipher {
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** @param keys of 32 bytes, newest first. The newest encrypts, all decrypt. */
  constructor(private readonly newestFirst: readonly Buffer[]) {
    this.keys = new Map(newestFirst.map((key) => [keyId(key).toString('hex'), key]));
  }

  /** @param context names the row, for example `customer_secrets/1/<uuid>/national_id`. */
  encrypt(plaintext: string, context: string): Buffer {
    const key = this.newestFirst[0];
    if (!key) throw new Error('There is no encryption key');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return Buffer.concat([keyId(key), iv, cipher.getAuthTag(), body]);
  }

  /** @throws Error when the key is not known, or the ciphertext was changed or moved. */
  decrypt(ciphertext: Buffer, context: string): string {
    const key = this.keys.get(ciphertext.subarray(0, KEY_ID_BYTES).toString('hex'));
    if (!key) throw new Error('Encrypted with a key that is not in DATA_ENCRYPTION_KEYS');
    const iv = ciphertext.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const body = KEY_ID_BYTES + IV_BYTES + TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, iv)
      .setAAD(Buffer.from(context))
      .setAuthTag(ciphertext.subarray(KEY_ID_BYTES + IV_BYTES, body));
    return Buffer.concat([decipher.update(ciphertext.subarray(body)), decipher.final()]).toString('utf8');
  }
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** The cipher under the configured keys, or under a key file that is made on first use, readable by its owner only. */
export function dataCipher(config: Pick<Config, 'encryptionKeys' | 'dataDir'>): DataCipher {
  return new DataCipher(config.encryptionKeys ?? [keyFromFile(path.join(config.dataDir, 'encryption.key'))]);
}

function keyFromFile(file: string): Buffer {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    // 'wx': of two processes that start at once, one makes the key and the other reads it.
    fs.writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(fs.readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes in base64`);
  return key;
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { KEYS_FORM, readKeys, type Config } from './config.js';

const ALGORITHM = 'aes-256-gcm';
export const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The message names the location and the identity of the key, but nothing of the value or of a key. */
export class DecryptionFailed extends Error {
  constructor(context: string, problem: string) {
    super(`${context} cannot be decrypted: ${problem}`);
  }
}

/**
 * Encrypts and decrypts values. A ciphertext has 4 bytes that identify the key, 12 of IV, 16 of tag, and the text. It
 * is bound to its location (`context`): a copy in another row cannot be decrypted.
 */
export class DataCipher {
  private readonly newest: Buffer;
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** @param newestFirst each key has 32 bytes. */
  constructor(newestFirst: readonly Buffer[]) {
    const [newest] = newestFirst;
    if (!newest) throw new Error('No encryption key is configured');
    this.newest = newest;
    this.keys = new Map(newestFirst.map((key) => [keyId(key).toString('hex'), key]));
  }

  /** The first bytes of each key's ciphertexts, in hexadecimal, newest first. They reveal nothing about the key. */
  get keyIds(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** @param context names the row, for example `customer_secrets/1/<uuid>/national_id`. */
  encrypt(plaintext: string, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.newest, iv).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return Buffer.concat([keyId(this.newest), iv, cipher.getAuthTag(), body]);
  }

  decrypt(ciphertext: Buffer, context: string): string {
    const id = ciphertext.subarray(0, KEY_ID_BYTES).toString('hex');
    const key = this.keys.get(id);
    if (!key) throw new DecryptionFailed(context, `its key ${id} is not in DATA_ENCRYPTION_KEYS`);
    const iv = ciphertext.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const body = KEY_ID_BYTES + IV_BYTES + TAG_BYTES;
    try {
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(ciphertext.subarray(KEY_ID_BYTES + IV_BYTES, body));
      return Buffer.concat([decipher.update(ciphertext.subarray(body)), decipher.final()]).toString('utf8');
    } catch {
      throw new DecryptionFailed(context, 'it was changed, or moved here from another row');
    }
  }
}

function keyId(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** Uses a key file when no keys are configured. The first use creates the file, readable only by its owner. */
export function dataCipher(config: Pick<Config, 'encryptionKeys' | 'dataDir'>): DataCipher {
  return new DataCipher(config.encryptionKeys ?? keysFromFile(path.join(config.dataDir, 'encryption.key')));
}

function keysFromFile(file: string): Buffer[] {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (!fs.existsSync(file)) makeKeyFile(file);
  const keys = readKeys(fs.readFileSync(file, 'utf8'));
  if (!keys) throw new Error(`${file} must contain ${KEYS_FORM}`);
  return keys;
}

/** When two processes start at the same time, one makes the key and both use it. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  fs.writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.unlinkSync(draft);
  }
}

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DataCipher, dataCipher, DecryptionFailed } from './data-cipher.js';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const PLACE = 'customer_secrets/1/ada/national_id';

describe('DataCipher', () => {
  it('decrypts what it encrypted, and never returns the same ciphertext twice', () => {
    const cipher = new DataCipher([NEW]);
    const [first, second] = [cipher.encrypt('ÄÖ-123', PLACE), cipher.encrypt('ÄÖ-123', PLACE)];

    expect(cipher.decrypt(first, PLACE)).toBe('ÄÖ-123');
    expect(first.equals(second)).toBe(false);
    expect(first.includes('123')).toBe(false);
  });

  it('decrypts values of an older key, and encrypts with the newest', () => {
    const old = new DataCipher([OLD]).encrypt('id', PLACE);
    const both = new DataCipher([NEW, OLD]);

    expect(both.decrypt(old, PLACE)).toBe('id');
    expect(new DataCipher([NEW]).decrypt(both.encrypt('id', PLACE), PLACE)).toBe('id');
  });

  it('refuses a ciphertext of a key it does not have', () => {
    const old = new DataCipher([OLD]).encrypt('id', PLACE);

    expect(() => new DataCipher([NEW]).decrypt(old, PLACE)).toThrow(
      /^customer_secrets\S+ cannot be decrypted: its key [0-9a-f]{8} is not in DATA_ENCRYPTION_KEYS$/,
    );
  });

  it('refuses a ciphertext that was moved to another row', () => {
    const cipher = new DataCipher([NEW]);
    const ciphertext = cipher.encrypt('id', PLACE);

    expect(() => cipher.decrypt(ciphertext, 'customer_secrets/2/ada/national_id')).toThrow(
      'it was changed, or moved here from another row',
    );
  });

  it('refuses a ciphertext with any byte changed, or cut off anywhere', () => {
    const cipher = new DataCipher([NEW]);
    const ciphertext = cipher.encrypt('id', PLACE);

    for (let i = 0; i < ciphertext.length; i++) {
      const changed = Buffer.from(ciphertext);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => cipher.decrypt(changed, PLACE)).toThrow(DecryptionFailed);
      expect(() => cipher.decrypt(ciphertext.subarray(0, i), PLACE)).toThrow(DecryptionFailed);
    }
  });

  it('needs a key', () => {
    expect(() => new DataCipher([])).toThrow('No encryption key is configured');
  });
});

describe('dataCipher', () => {
  it('creates a key file that only its owner can read, and uses it afterwards', () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-key-'));

    const ciphertext = dataCipher({ encryptionKeys: null, dataDir }).encrypt('id', PLACE);

    expect(fs.statSync(path.join(dataDir, 'encryption.key')).mode & 0o777).toBe(0o600);
    expect(dataCipher({ encryptionKeys: null, dataDir }).decrypt(ciphertext, PLACE)).toBe('id');
    fs.rmSync(dataDir, { recursive: true });
  });

  it('takes several keys from the file, newest first', () => {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-key-'));
    const old = dataCipher({ encryptionKeys: null, dataDir });
    const file = path.join(dataDir, 'encryption.key');
    fs.writeFileSync(file, `${NEW.toString('base64')},${fs.readFileSync(file, 'utf8')}`);

    const both = dataCipher({ encryptionKeys: null, dataDir });

    expect(both.keyIds).toEqual([...new DataCipher([NEW]).keyIds, ...old.keyIds]);
    expect(both.decrypt(old.encrypt('id', PLACE), PLACE)).toBe('id');
    fs.rmSync(dataDir, { recursive: true });
  });
});

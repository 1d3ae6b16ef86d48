import { EncryptedSecrets, type KeyUse, type ReencryptedBatch } from '../ports/encrypted-secrets.js';
import { RotateSecrets } from './rotate-secrets.js';

/**
 * Contains values under an older key that no pass re-encrypts: `held` ones are locked by other transactions,
 * `unreadable` ones cannot be decrypted.
 */
class StuckSecrets extends EncryptedSecrets {
  passes = 0;

  constructor(
    private readonly held: number,
    private readonly unreadable: readonly string[],
  ) {
    super();
  }

  override keyUses(): Promise<KeyUse[]> {
    const values = this.held + this.unreadable.length;
    return Promise.resolve([
      { key: 'new', position: 1, values: 7 },
      { key: 'old', position: 2, values },
    ]);
  }

  override async *reencrypt(): AsyncIterable<ReencryptedBatch> {
    this.passes++;
    yield await Promise.resolve({ rotated: 0, unreadable: this.unreadable });
  }
}

describe('RotateSecrets', () => {
  it('gives up on held values after five passes and reports how many are left', async () => {
    const secrets = new StuckSecrets(3, []);

    const report = await new RotateSecrets(secrets).execute();

    expect(report).toMatchObject({ rotated: 0, unreadable: 0, left: 3 });
    expect(secrets.passes).toBe(5);
  });

  it('does not repeat the pass for unreadable values and reports 20 of them', async () => {
    const secrets = new StuckSecrets(
      0,
      Array.from({ length: 25 }, (_, n) => `value ${n}`),
    );

    const report = await new RotateSecrets(secrets).execute();

    expect(report).toMatchObject({ rotated: 0, unreadable: 25, left: 0 });
    expect(report.examples).toHaveLength(20);
    expect(secrets.passes).toBe(1);
  });
});

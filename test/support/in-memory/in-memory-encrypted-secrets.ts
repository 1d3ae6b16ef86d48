import { EncryptedSecrets, type KeyUse, type ReencryptedBatch } from '@app/application';

interface Secret {
  key: string;
  isHeld: boolean;
}

/** Secrets without content. Each consists only of the key that encrypts it. */
export class InMemoryEncryptedSecrets extends EncryptedSecrets {
  private readonly secrets: Secret[] = [];

  /**
   * @param keys the configured keys, newest first.
   * @param batchSize values in a batch.
   */
  constructor(
    private readonly keys: readonly string[],
    private readonly batchSize: number,
  ) {
    super();
  }

  add(count: number, key: string): void {
    for (let n = 0; n < count; n++) this.secrets.push({ key, isHeld: false });
  }

  /** Locks one secret under `key`. Returns the release of the lock. */
  hold(key: string): () => void {
    const secret = this.secrets.find((other) => other.key === key);
    if (!secret) throw new Error(`No secret is under ${key}`);
    secret.isHeld = true;
    return () => (secret.isHeld = false);
  }

  override keyUses(): Promise<KeyUse[]> {
    const keys = new Set([...this.keys, ...this.secrets.map(({ key }) => key)]);
    return Promise.resolve(
      [...keys].map((key) => ({
        key,
        position: this.keys.indexOf(key) + 1 || null,
        values: this.secrets.filter((secret) => secret.key === key).length,
      })),
    );
  }

  override async *reencrypt(): AsyncIterable<ReencryptedBatch> {
    const [newest = ''] = this.keys;
    const due = this.secrets.filter(({ key, isHeld }) => key !== newest && !isHeld);
    for (let start = 0; start < due.length; start += this.batchSize) {
      const batch = due.slice(start, start + this.batchSize);
      const readable = batch.filter(({ key }) => this.keys.includes(key));
      const unreadable = batch.filter(({ key }) => !this.keys.includes(key)).map(({ key }) => `a secret under ${key}`);
      for (const secret of readable) secret.key = newest;
      yield await Promise.resolve({ rotated: readable.length, unreadable });
    }
  }
}

export interface KeyUse {
  /** The key's id: the first bytes of its ciphertexts, in hexadecimal. */
  readonly key: string;
  /** Position among the configured keys, from 1 for the newest; null = not configured. */
  readonly position: number | null;
  readonly values: number;
}

export interface ReencryptedBatch {
  readonly rotated: number;
  /** The place of each value that no configured key decrypts, and the reason, without its content. */
  readonly unreadable: readonly string[];
}

/** The encrypted secrets of all stores, for operators. Has no time limit. */
export abstract class EncryptedSecrets {
  /** The configured keys, newest first, also without values; then other keys that have values. */
  abstract keyUses(): Promise<KeyUse[]>;

  /**
   * Re-encrypts the values under other keys with the newest key, in one pass. Each batch is one transaction, so an
   * interrupted pass keeps its completed batches. Skips values that another transaction holds, and never waits.
   */
  abstract reencrypt(): AsyncIterable<ReencryptedBatch>;
}

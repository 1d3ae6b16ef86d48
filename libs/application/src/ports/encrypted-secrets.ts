export interface KeyUse {
  /** The key's id: the first bytes of its ciphertexts, in hexadecimal. */
  readonly key: string;
  /** The position among the configured keys, from 1 for the newest; null when the key is not configured. */
  readonly position: number | null;
  readonly values: number;
}

export interface ReencryptedBatch {
  readonly rotated: number;
  /** The location of each value that no configured key decrypts, and the reason, without the value. */
  readonly unreadable: readonly string[];
}

/** The encrypted secrets of all stores, for operators. The operations have no time limit. */
export abstract class EncryptedSecrets {
  /**
   * Lists the configured keys, newest first, including those without values, then other keys that still have values.
   */
  abstract keyUses(): Promise<KeyUse[]>;

  /**
   * Re-encrypts the values of older keys with the newest key, in one pass. Each batch is one transaction, so an
   * interrupted pass keeps its completed batches. It skips values that another transaction has locked, and never waits.
   */
  abstract reencrypt(): AsyncIterable<ReencryptedBatch>;
}

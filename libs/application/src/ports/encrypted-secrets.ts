/** Number of values under one encryption key. */
export interface KeyUse {
  /** The key's id: the first bytes of its ciphertexts, in hexadecimal. */
  readonly key: string;
  /** Position among the configured keys, from 1 for the newest; null = not configured. */
  readonly position: number | null;
  readonly values: number;
}

/** The outcome of one batch. */
export interface ReencryptedBatch {
  /** Values that are now under the newest key. */
  readonly rotated: number;
  /** For each value that no configured key decrypts: its place and the reason, without its content. Left unchanged. */
  readonly unreadable: readonly string[];
}

/** The secrets that the database holds encrypted, of all stores, for operators. Has no time limit. */
export abstract class EncryptedSecrets {
  /** The configured keys, newest first and with 0 values too, then other keys that values are under. */
  abstract keyUses(): Promise<KeyUse[]>;

  /**
   * Re-encrypts under the newest key, in one pass over the values that are under another. Each batch is a transaction of
   * its own: an interrupted pass keeps what it did. Skips values that another transaction holds, and waits for none.
   */
  abstract reencrypt(): AsyncIterable<ReencryptedBatch>;
}

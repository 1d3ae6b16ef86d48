import type { ChangeOrigin } from './audit-log.js';

/** Settings by name, in the form of the store's line of a bundle, where the text `set` stands for each stored secret. */
export type SettingsRecord = Readonly<Record<string, unknown>>;

export interface SettingsChange {
  /** The settings that change, each as a whole, in the form of the store's line of a bundle. */
  readonly settings: SettingsRecord;
  /** Settings as the client has read them; empty when the client does not compare. */
  readonly expected: SettingsRecord;
  readonly origin: ChangeOrigin;
}

export abstract class StoreSettings {
  /** @throws NotFound when the store was deleted since the key was checked. */
  abstract find(storeId: number): Promise<SettingsRecord>;

  /**
   * Changes all settings or none, and records it in the audit. A `set` keeps the stored secret. The credentials of a payment method that the new list
   * leaves out are deleted.
   * @returns all settings after the change.
   * @throws StaleSettings when a setting is not as expected.
   * @throws SettingsRefused when a `set` has no stored secret, or PostgreSQL does not know the time zone.
   * @throws StoreMoved
   * @throws CommitOutcomeUnknown
   */
  abstract change(storeId: number, change: SettingsChange): Promise<SettingsRecord>;
}

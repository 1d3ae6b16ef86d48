import { refusedLines, rejected } from '../shared/domain-error.js';

/** The settings do not fit those that the store has. */
export class SettingsRefused extends refusedLines('settings_refused') {}

/** Another request has changed settings since the client read them. */
export class StaleSettings extends rejected(
  'stale',
  (fields: readonly string[]) => `Nothing was changed: ${fields.join(', ')} changed since you read the settings`,
) {
  constructor(readonly fields: readonly string[]) {
    super(fields);
  }
}

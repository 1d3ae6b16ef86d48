import type { FraudSettings } from '@app/domain';

/** The settings as the store bundle brings them (snake case), every part optional. */
export function readFraudSettings(json: unknown): FraudSettings {
  const settings = (json ?? {}) as Record<string, unknown>;
  return {
    blockedEmails: texts(settings['blocked_emails']),
    blockedPhones: texts(settings['blocked_phones']),
    reviewAmount: typeof settings['review_amount'] === 'number' ? settings['review_amount'] : null,
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

import { DEFAULT_FRAUD_SETTINGS, MAX_ORDERS_PER_HOUR, type FraudSettings, type OrdersPerHour } from '@app/domain';

export const LIMIT_KEYS: Readonly<Record<keyof OrdersPerHour, string>> = {
  email: 'review_orders_per_email',
  phone: 'review_orders_per_phone',
  address: 'review_orders_per_address',
};

/** Reads the settings in the store bundle's format (snake case); every part is optional. */
export function readFraudSettings(json: unknown): FraudSettings {
  const settings = (json ?? {}) as Record<string, unknown>;
  return {
    blockedEmails: texts(settings['blocked_emails']),
    blockedPhones: texts(settings['blocked_phones']),
    reviewAmount: typeof settings['review_amount'] === 'number' ? settings['review_amount'] : null,
    ordersPerHour: {
      email: limit(settings, 'email'),
      phone: limit(settings, 'phone'),
      address: limit(settings, 'address'),
    },
  };
}

/** Returns the default for an absent or unreadable limit. */
function limit(settings: Record<string, unknown>, contact: keyof OrdersPerHour): number | null {
  const value = settings[LIMIT_KEYS[contact]];
  if (value === null) return null;
  if (typeof value !== 'number' || value < 1) return DEFAULT_FRAUD_SETTINGS.ordersPerHour[contact];
  return Math.min(value, MAX_ORDERS_PER_HOUR);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

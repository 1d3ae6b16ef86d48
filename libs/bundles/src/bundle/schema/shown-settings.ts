import { publicPaymentSettings, publicSettings } from '@app/domain';
import { chargeSettings, contact, fraudSettings } from './store-line.js';

export interface StoredSettings {
  readonly contact: unknown;
  readonly theme: unknown;
  readonly payment_settings: unknown;
  readonly ecommerce_settings: unknown;
  readonly fraud_settings: unknown;
  readonly charge_settings: unknown;
}

/** Returns the settings as an export shows them: without anything that looks secret or that a bundle does not know. */
export function shownSettings(stored: StoredSettings) {
  return {
    contact: known(publicSettings(stored.contact), contact),
    theme: publicSettings(stored.theme),
    payment_settings: paymentSettings(stored.payment_settings),
    ecommerce_settings: publicSettings(stored.ecommerce_settings),
    fraud_settings: known(stored.fraud_settings, fraudSettings),
    charge_settings: known(stored.charge_settings, chargeSettings),
  };
}

/** Omits the list of methods when the store has none, so that importing the line changes nothing. */
function paymentSettings(stored: unknown): object {
  if (!Object.hasOwn(stored ?? {}, 'methods')) return {};
  return {
    methods: publicPaymentSettings(stored, () => false).methods.map(({ hasCredentials: _, ...method }) => method),
  };
}

function known(settings: unknown, { properties }: { readonly properties: object }): object {
  const entries = Object.entries(settings ?? {});
  return Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)));
}

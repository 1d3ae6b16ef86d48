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

/** Returns the settings as an export shows them: without secrets and without fields that the bundle schema lacks. */
export function shownSettings(stored: StoredSettings) {
  return {
    contact: pickDeclared(publicSettings(stored.contact), contact),
    theme: publicSettings(stored.theme),
    payment_settings: paymentMethodsShown(stored.payment_settings),
    ecommerce_settings: publicSettings(stored.ecommerce_settings),
    fraud_settings: pickDeclared(stored.fraud_settings, fraudSettings),
    charge_settings: pickDeclared(stored.charge_settings, chargeSettings),
  };
}

/**
 * Omits `methods` when the stored settings lack it, so that an import of the exported line changes nothing.
 * @param held the methods whose stored credentials are shown as `set`.
 */
export function paymentMethodsShown(stored: unknown, held: readonly string[] = []): object {
  if (!Object.hasOwn(stored ?? {}, 'methods')) return {};
  const { methods } = publicPaymentSettings(stored, (methodId) => held.includes(methodId));
  return {
    methods: methods.map(({ hasCredentials, ...method }) => ({
      ...method,
      ...(hasCredentials && { credentials: 'set' }),
    })),
  };
}

export function pickDeclared(settings: unknown, { properties }: { readonly properties: object }): object {
  const entries = Object.entries(settings ?? {});
  return Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)));
}

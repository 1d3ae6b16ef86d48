import type { PriceList } from '@app/application';
import { CurrencyMismatch, MAX_GROUPS_OF_LIST, MAX_INT4, type Currency, VALUES } from '@app/domain';
import * as is from '../body/fields.js';
import { InvalidFields } from '../errors/invalid-fields.js';

export class PutPriceListRequest {
  @is.NameField({ isRequired: true, description: 'Display name.' })
  name!: string;

  @is.CurrencyField({ description: 'Must be the currency of the store. Not stored.' })
  currency?: string | null;

  @is.IntegerOrNullField({
    min: -MAX_INT4,
    max: MAX_INT4,
    default: 0,
    description: "Among the lists of a customer's groups, the list with the highest priority applies first.",
  })
  priority?: number | null;

  @is.DayField({
    description: "The first day on which the list applies, in the store's time zone. Null: no first day.",
  })
  valid_from?: string | null;

  @is.DayField({ description: 'The last day on which the list applies. Null: no last day.' })
  valid_to?: string | null;

  @is.ReferencesField({
    max: MAX_GROUPS_OF_LIST,
    description: 'The groups of customers to whom the list applies. Letter case matters.',
  })
  customer_groups?: string[] | null;
}

/** @throws InvalidFields, CurrencyMismatch */
export function toPriceList(code: string, body: PutPriceListRequest, currency: Currency): PriceList {
  const { valid_from: validFrom = null, valid_to: validTo = null } = body;
  const isReversed = validFrom !== null && validTo !== null && validTo < validFrom;
  const faults = [
    ...[VALUES.code, VALUES.reference]
      .flatMap(({ read, rule }) => (read(code) === null ? [{ path: 'code', message: rule }] : []))
      .slice(0, 1),
    ...(isReversed ? [{ path: 'valid_to', message: 'must not be before valid_from' }] : []),
  ];
  if (faults.length > 0) throw new InvalidFields(faults);
  if (body.currency && body.currency.toUpperCase() !== currency) throw new CurrencyMismatch(currency);
  return {
    code,
    name: body.name.trim(),
    priority: body.priority ?? 0,
    validFrom,
    validTo,
    customerGroups: body.customer_groups ?? [],
  };
}

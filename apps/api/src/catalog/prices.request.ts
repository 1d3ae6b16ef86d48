import type { PriceLine } from '@app/application';
import { MAX_UNIT_PRICE, Money, toDecimalText, type Currency } from '@app/domain';
import { refusalOf } from '../body/body.pipe.js';
import * as is from '../body/fields.js';
import { faultsOfUnit, toUnit, UnitFields } from '../body/unit-fields.js';

const MAX_PRICE_LINES = 500;

export class PriceLineRequest extends UnitFields {
  @is.DecimalField({ isRequired: true, description: 'The new unit price.' })
  price!: number | string;

  @is.DecimalField({ description: 'Required: what you take the price to be. Null overwrites whatever it is.' })
  expected?: number | string | null;
}

export class ChangePricesRequest {
  @is.ReferenceField({
    description: "Your own number of the request. Unique among the store's changes of prices, for ever.",
  })
  reference?: string | null;

  @is.FlagField({ default: false, description: 'Whether no line changes anything when one is refused.' })
  atomic?: boolean | null;

  @is.ListField(PriceLineRequest, { max: MAX_PRICE_LINES, description: 'Each with a price and the expected one.' })
  lines!: PriceLineRequest[];
}

/** @throws BadRequestException */
export function toPriceLines(lines: readonly PriceLineRequest[], currency: Currency): PriceLine[] {
  const faults = lines.flatMap((line, index) => faultsOf(line, currency).map((fault) => `lines[${index}]${fault}`));
  if (faults.length > 0) throw refusalOf(faults);
  return lines.map((line) => ({
    ...toUnit(line),
    price: String(line.price),
    expected: line.expected === null ? null : String(line.expected),
  }));
}

function faultsOf(line: PriceLineRequest, currency: Currency): string[] {
  const most = Money.ofMinor(MAX_UNIT_PRICE, currency);
  const isTooHigh = Money.parse(String(line.price), currency).minor > most.minor;
  return [
    ...faultsOfUnit(line),
    ...(isTooHigh ? [`.price must not be higher than ${toDecimalText(most)}`] : []),
    ...(line.expected === undefined ? ['.expected is required'] : []),
  ];
}

import type { PriceLine } from '@app/application';
import type { Currency } from '@app/domain';
import type { Fault } from '../errors/invalid-fields.js';
import { readLine } from '../body/body.pipe.js';
import * as is from '../body/fields.js';
import { faultsOfHighPrice, faultsOfUnit, NO_UNIT, textOfLine, toUnit, UnitFields } from '../body/unit-fields.js';

const MAX_PRICE_LINES = 500;

export class PriceLineRequest extends UnitFields {
  @is.DecimalField({ isRequired: true, description: 'The new unit price.' })
  price!: number | string;

  @is.DecimalField({ description: 'Required: the current price that you expect. Null overwrites any price.' })
  expected?: number | string | null;
}

export class ChangePricesRequest {
  @is.ReferenceField({
    description: "Your own number of the request. Unique among the store's changes of prices, for ever.",
  })
  reference?: string | null;

  @is.FlagField({ default: false, description: 'Whether nothing changes when one line is refused.' })
  atomic?: boolean | null;

  @is.LinesField(PriceLineRequest, { max: MAX_PRICE_LINES, description: 'Each with a price and the expected one.' })
  lines!: unknown[];
}

export function toPriceLine(sent: unknown, currency: Currency): PriceLine {
  const { line, faults: ofForm } = readLine(PriceLineRequest, sent);
  const faults = ofForm.length > 0 ? ofForm : faultsOf(line, currency);
  if (faults.length > 0)
    return { ...NO_UNIT, price: '0', expected: null, invalid: { sent, error: textOfLine(faults) } };
  const expected = line.expected === null ? null : String(line.expected);
  return { ...toUnit(line), price: String(line.price), expected, invalid: null };
}

function faultsOf(line: PriceLineRequest, currency: Currency): Fault[] {
  return [
    ...faultsOfUnit(line),
    ...faultsOfHighPrice('price', line.price, currency),
    ...faultsOfHighPrice('expected', line.expected, currency),
    ...(line.expected === undefined ? [{ path: '.expected', message: 'is required' }] : []),
  ];
}

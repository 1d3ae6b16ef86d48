import type { PriceLine } from '@app/application';
import { MAX_ORDERED_UNITS, quantityRuleOf, type Currency } from '@app/domain';
import type { Fault } from '../errors/invalid-fields.js';
import { readLine } from '../body/body.pipe.js';
import * as is from '../body/fields.js';
import { faultsOfHighPrice, faultsOfUnit, NO_UNIT, textOfLine, toUnit, UnitFields } from '../body/unit-fields.js';

const MAX_PRICE_LINES = 500;
const QUANTITY = { min: 1, max: MAX_ORDERED_UNITS };

export class PriceLineRequest extends UnitFields {
  @is.DecimalField({
    description:
      'The new unit price. Required, unless the line gives `min_quantity` or `step` only. Null removes the price of a list.',
  })
  price?: number | string | null;

  @is.DecimalField({
    description: 'Required with `price`: the current price that you expect. Null overwrites any price.',
  })
  expected?: number | string | null;

  @is.IntegerOrNullField({
    ...QUANTITY,
    default: 1,
    description: 'With `list`: the quantity from which the price applies.',
  })
  from_quantity?: number | null;

  @is.IntegerOrNullField({
    ...QUANTITY,
    description:
      'The fewest units that an order may have. 1 where only `step` is given; null, without `step`, removes the rule of both.',
  })
  min_quantity?: number | null;

  @is.IntegerOrNullField({
    ...QUANTITY,
    description: 'Orders have multiples of it. 1 where only `min_quantity` is given.',
  })
  step?: number | null;
}

export class ChangePricesRequest {
  @is.CodeField({ description: 'The code of the price list that all lines change. Absent: the prices of the catalog.' })
  list?: string | null;

  @is.ReferenceField({
    description: "Your own number of the request. Unique among the store's changes of prices, for ever.",
  })
  reference?: string | null;

  @is.FlagField({ default: false, description: 'Whether nothing changes when one line is refused.' })
  atomic?: boolean | null;

  @is.LinesField(PriceLineRequest, { max: MAX_PRICE_LINES, description: 'Each with a price and the expected one.' })
  lines!: unknown[];
}

export function toPriceLine(sent: unknown, currency: Currency, list: string | null): PriceLine {
  const { line, faults: ofForm } = readLine(PriceLineRequest, sent);
  const rule = quantityRuleOf(line.min_quantity, line.step);
  const inForm = faultsOfForm(line, ofForm, list !== null, rule !== undefined);
  const faults = inForm.length > 0 ? inForm : faultsOf(line, currency, list !== null);
  if (faults.length > 0) {
    const invalid = { sent, error: textOfLine(faults) };
    return { ...NO_UNIT, price: '0', expected: null, fromQuantity: 1, rule: undefined, invalid };
  }
  return {
    ...toUnit(line),
    price: textOf(line.price),
    expected: textOf(line.expected) ?? null,
    fromQuantity: line.from_quantity ?? 1,
    rule,
    invalid: null,
  };
}

const textOf = (price: number | string | null | undefined) =>
  price === undefined || price === null ? price : String(price);

function faultsOfForm(
  line: PriceLineRequest,
  found: readonly Fault[],
  isListed: boolean,
  hasRule: boolean,
): readonly Fault[] {
  const { price } = line;
  const isBlank = typeof price === 'string' && price.trim() === '';
  const isLine = found.every(({ path }) => path !== '');
  const isMissing = isLine && (isBlank || (price === undefined && !hasRule) || (price === null && !isListed));
  return isMissing
    ? [{ path: '.price', message: 'is required' }, ...found.filter(({ path }) => path !== '.price')]
    : found;
}

function faultsOf(line: PriceLineRequest, currency: Currency, isListed: boolean): Fault[] {
  const isUnexpected = line.price !== undefined && line.expected === undefined;
  const isMisplaced = !isListed && (line.from_quantity ?? null) !== null;
  return [
    ...faultsOfUnit(line),
    ...faultsOfHighPrice('price', line.price, currency),
    ...faultsOfHighPrice('expected', line.expected, currency),
    ...(isUnexpected ? [{ path: '.expected', message: 'is required' }] : []),
    ...(isMisplaced ? [{ path: '.from_quantity', message: 'requires list' }] : []),
  ];
}

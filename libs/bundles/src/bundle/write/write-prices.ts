import { MAX_PRICE_LISTS, quantityRuleOf, type PriceBreak, type QuantityRule } from '@app/domain';
import {
  listedChanges,
  readListed,
  readRules,
  roomForLists,
  writeListed,
  writeRules,
  type ListedUnit,
} from '@app/infrastructure';
import { BundleLineError } from '../check/faults.js';
import type { LineOf } from '../schema/bundle.js';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { Outcome } from './import-counts.js';
import { findSellables } from './sellables.js';
import { PRICE_LISTS } from './tables.js';
import { unitPrice } from './unit-price.js';

export const writePriceLists: WriteLines<'price_list'> = async (batch, store, lines) => {
  const refuseBeyond = await listLimit(batch, store, lines);
  const rows = batch.good(lines, (each) => {
    const { kind: _, store: __, currency = store.currency, ...row } = each.line;
    if (currency !== store.currency) {
      throw new BundleLineError(
        each.number,
        `price_list.currency must be ${store.currency}, the currency of the store`,
      );
    }
    refuseBeyond(each);
    return { ...each, row };
  });
  batch.note(await batch.writeNamed(PRICE_LISTS, store.id, rows));
};

/** @returns what throws BundleLineError for a new list that the store has no room for. */
async function listLimit(batch: Batch, store: Owner, lines: readonly Numbered<LineOf<'price_list'>>[]) {
  const codes = lines.map(({ line: { code } }) => ({ code }));
  const known = await PRICE_LISTS.find(batch.sql, store.id, codes);
  const others = codes.map(({ code }) => code);
  let room = (await roomForLists(batch.sql, store.id, others)) - known.size;
  return ({ number, line: { code } }: Numbered<LineOf<'price_list'>>): void => {
    if (known.has(PRICE_LISTS.keyOf({ code }))) return;
    if (room < 1)
      throw new BundleLineError(number, `price_list exceeds the ${MAX_PRICE_LISTS} price lists that a store can have`);
    room--;
  };
}

type WithUnit<Kind extends 'list_price' | 'quantity_rule'> = Numbered<LineOf<Kind>> & { readonly unit: ListedUnit };

/** The prices in the line replace those of the unit in the list. */
export const writeListPrices: WriteLines<'list_price'> = async (batch, store, lines) => {
  const code = await batch.finder(
    PRICE_LISTS,
    store.id,
    lines.map(({ line: { list } }) => ({ code: list })),
  );
  const named = batch.good(lines, (each) => ({
    ...each,
    list: code(each.number, { code: each.line.list }, 'price list'),
    given: breaksOf(each, store),
  }));
  const found = await unitsOf(batch, store, named);
  const stored = new Map((await readListed(batch.sql, store.id, unitsIn(found))).map((unit) => [keyOf(unit), unit]));
  const rules = await rulesOf(batch, store, found);
  const checked = batch.good(found, (each) => {
    const { number, unit, given, line } = each;
    const before = stored.get(keyOf(unit)) ?? { ...unit, sku: '', breaks: [] };
    const after = given ?? before.breaks;
    const rule = after.length === 0 ? null : quantityRuleOf(line.min_quantity, line.step);
    if (given === undefined && after.length === 0) {
      throw new BundleLineError(number, 'list_price.price_breaks is required: the list has no price for the unit');
    }
    return { ...each, before, changes: listedChanges(before, after), rule };
  });
  await writeListed(
    batch.sql,
    store.id,
    checked.flatMap(({ changes }) => changes),
  );
  const ruled = await writeChanged(batch, store, checked, rules);
  batch.note(
    checked.map(({ number, line, unit, before, changes }) => {
      const isChanged = changes.length > 0 || ruled.has(keyOf(unit));
      const outcome: Outcome = !isChanged ? 'unchanged' : before.breaks.length === 0 ? 'created' : 'updated';
      return { number, line, id: idOf(unit), outcome };
    }),
  );
};

export const writeQuantityRules: WriteLines<'quantity_rule'> = async (batch, store, lines) => {
  const named = lines.map((each) => ({ ...each, list: '' }));
  const found = await unitsOf(batch, store, named);
  const rules = await rulesOf(batch, store, found);
  const checked = batch.good(found, (each) => {
    const rule = quantityRuleOf(each.line.min_quantity, each.line.step);
    if (rule === undefined) throw new BundleLineError(each.number, 'quantity_rule.min_quantity is required');
    return { ...each, rule };
  });
  const changed = await writeChanged(batch, store, checked, rules);
  batch.note(
    checked.map(({ number, line, unit }) => {
      const isNew = !rules.has(keyOf(unit));
      const outcome: Outcome = !changed.has(keyOf(unit)) ? 'unchanged' : isNew ? 'created' : 'updated';
      return { number, line, id: idOf(unit), outcome };
    }),
  );
};

/** @throws BundleLineError */
function breaksOf({ number, line }: Numbered<LineOf<'list_price'>>, store: Owner): readonly PriceBreak[] | undefined {
  return line.price_breaks?.map(({ from_quantity: fromQuantity, price }, index) => ({
    fromQuantity,
    price: unitPrice(price, store.currency, number, `list_price.price_breaks[${index}].price`),
  }));
}

async function unitsOf<Line extends Numbered<LineOf<'list_price' | 'quantity_rule'>> & { readonly list: string }>(
  batch: Batch,
  store: Owner,
  lines: readonly Line[],
): Promise<(Line & { readonly unit: ListedUnit })[]> {
  const references = lines.map(({ number, line }) => ({ number, reference: line }));
  const sellables = await findSellables(batch, store, references);
  return lines.flatMap((each) => {
    const { productId = null, variantId = null } = sellables.get(each.line) ?? {};
    return productId === null ? [] : [{ ...each, unit: { list: each.list, productId, variantKey: variantId ?? 0 } }];
  });
}

async function rulesOf(
  batch: Batch,
  store: Owner,
  lines: readonly WithUnit<'list_price' | 'quantity_rule'>[],
): Promise<ReadonlyMap<string, QuantityRule | null>> {
  const rules = await readRules(batch.sql, store.id, unitsIn(lines));
  return new Map(rules.map((each) => [keyOf(each), each.rule]));
}

/** Writes the rules that differ. @returns their units. */
async function writeChanged(
  batch: Batch,
  store: Owner,
  lines: readonly { readonly unit: ListedUnit; readonly rule: QuantityRule | null | undefined }[],
  before: ReadonlyMap<string, QuantityRule | null>,
): Promise<ReadonlySet<string>> {
  const changed = lines.flatMap(({ unit, rule }) => {
    const old = before.get(keyOf(unit)) ?? null;
    const isSame = rule?.minQuantity === old?.minQuantity && rule?.step === old?.step;
    return rule === undefined || isSame ? [] : [{ ...unit, rule }];
  });
  await writeRules(batch.sql, store.id, changed);
  return new Set(changed.map(keyOf));
}

const unitsIn = (lines: readonly { readonly unit: ListedUnit }[]) => lines.map(({ unit }) => unit);
const keyOf = ({ list, productId, variantKey }: ListedUnit) => `${list} ${idOf({ productId, variantKey })}`;
const idOf = ({ productId, variantKey }: Omit<ListedUnit, 'list'>) =>
  variantKey === 0 ? `${productId}` : `${productId}-${variantKey}`;

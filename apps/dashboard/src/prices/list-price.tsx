import { api, type Schemas } from '../http.js';
import { minorOf, money, plainMoney, readAmount, readUnits } from '../parts/amount.js';
import { Amount, changesOf, ConfirmDialog, Expected, Seen, Units, type Values } from '../parts/ask.js';
import { right, type Columns } from '../parts/list.js';
import { RowActions } from '../parts/page.js';
import { can, currency } from '../session.js';

type UnitPrices = Schemas['UnitPrices'];

/** A price of a unit from a quantity on. */
export interface ListPrice extends Omit<UnitPrices, 'price_breaks'> {
  readonly from: number;
  /** Minor units. */
  readonly price: number;
}

export const pricesOf = ({ price_breaks: breaks, ...unit }: UnitPrices): ListPrice[] =>
  breaks.map(({ from_quantity: from, price }) => ({ ...unit, from, price: minorOf(price, currency()) }));

export const keyOf = ({ list, product_id, variant_id, from }: ListPrice): string =>
  [list, product_id, variant_id, from].join('/');

export const unitName = ({ sku, product_id, variant_id }: ListPrice) =>
  sku || (variant_id === null ? `Product ${product_id}` : `Variant ${variant_id} of product ${product_id}`);

const plain = (price: number) => plainMoney(price, currency());

/** The cells are as the page reads them, so that they can be copied and pasted. */
export const priceColumns = (): Columns<ListPrice> => ({
  'From quantity': right(({ from }) => from),
  [`Price (${currency()})`]: right(({ price }) => plain(price)),
  Minimum: right(({ min_quantity }) => min_quantity),
  Step: right(({ step }) => step),
  ...(can('catalog') && { Change: right((row) => <Change row={row} />) }),
});

/** Changes or removes a price as the person saw it. */
export function Change({ row }: { row: ListPrice }) {
  const { list, product_id, variant_id, from, price, min_quantity, step } = row;
  const name = `${unitName(row)} from ${from}`;
  const set = async (given: Omit<Schemas['PriceLineRequest'], 'product_id'>) => {
    await api.POST('/v1/prices', {
      body: { list, atomic: true, lines: [{ product_id, variant_id, from_quantity: from, ...given }] },
    });
  };
  const texts = { price: plain(price), min_quantity: String(min_quantity ?? ''), step: String(step ?? '') };
  const say = (text: string) => money(readAmount(text, currency()), currency());
  const expected = <Expected value={texts.price} noun="price" say={say} />;
  const units = (text = '') => (text ? readUnits(text) : null);
  const save = async (values: Values) => {
    const changed = changesOf(values);
    const isRuled = 'min_quantity' in changed || 'step' in changed;
    if (changed.price === undefined && !isRuled) return;
    await set({
      ...(changed.price !== undefined && {
        price: plain(readAmount(changed.price, currency())),
        expected: values.expected ?? null,
      }),
      ...(isRuled && { min_quantity: units(values.min_quantity), step: units(values.step) }),
    });
  };
  return (
    <RowActions of={name}>
      <ConfirmDialog label="Edit…" title={`Edit ${name}`} submitLabel="Save" send={save} toast="Price saved.">
        <Seen text={JSON.stringify(texts)} />
        {expected}
        <Amount label="Price" name="price" minor={price} currency={currency()} />
        <div class="pair">
          <Units required={false} label="Minimum" name="min_quantity" begin={texts.min_quantity} />
          <Units required={false} label="Step" name="step" begin={texts.step} />
        </div>
        <p class="soft">Minimum and step apply to all quantities of the SKU in this list.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Remove the price of ${name}?`}
        submitLabel="Remove"
        tone="danger"
        send={({ expected = '' }) => set({ price: null, expected })}
        toast="Price removed."
      >
        {expected}
      </ConfirmDialog>
    </RowActions>
  );
}

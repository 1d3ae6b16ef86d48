import { useRead, type Schemas } from '../http.js';
import { List, Named, type Columns } from '../parts/list.js';
import { Note, Section } from '../parts/page.js';
import { count } from '../parts/text.js';
import { keyOf, priceColumns, pricesOf, type ListPrice } from '../prices/list-price.js';
import { toList, usePriceLists, validText, type PriceList } from '../prices/price-lists.js';
import { readPrices } from '../prices/sheet.js';

type Product = Schemas['Product'];

/** Each list takes a request, because a request reads the prices of one list. */
const MAX_LISTS = 100;
const READS_AT_ONCE = 5;

type Row = ListPrice & { readonly of: PriceList };

const COLUMNS: Columns<Row> = {
  'Price list': ({ of }) => <Named name={of.name} href={toList(of.code)} small={[validText(of)]} />,
  SKU: ({ sku }) => <span class="line">{sku}</span>,
};

async function readAll(lists: readonly PriceList[], { id, skus }: { id: number; skus: readonly string[] }) {
  const rows: Row[] = [];
  for (let n = 0; n < lists.length; n += READS_AT_ONCE) {
    const some = lists.slice(n, n + READS_AT_ONCE);
    const read = await Promise.all(some.map(({ code }) => readPrices(skus, code)));
    for (const [index, of] of some.entries())
      rows.push(...(read[index] ?? []).flatMap(pricesOf).map((price) => ({ ...price, of })));
  }
  // A SKU may be that of several products.
  const data = rows.filter(({ product_id }) => product_id === id);
  return { data, pagination: { total: data.length } };
}

/** Shows nothing in a store without price lists. */
export function ListPrices({ product }: { product: Product }) {
  const lists = usePriceLists().data;
  return lists && lists.data.length > 0 ? (
    <PricesOf product={product} lists={lists.data.slice(0, MAX_LISTS)} total={lists.pagination.total} />
  ) : null;
}

type PricesOfProps = Readonly<{ product: Product; lists: readonly PriceList[]; total: number }>;

function PricesOf({ product, lists, total }: PricesOfProps) {
  const all = [product.sku, ...product.variants.map(({ sku }) => sku)];
  // The filter separates SKUs by commas.
  const skus = all.filter((sku) => sku && !sku.includes(','));
  const codes = lists.map(({ code }) => code);
  const query = useRead(['/v1/prices', 'product', product.id, skus, codes], () =>
    readAll(lists, { id: Number(product.id), skus }),
  );
  return (
    <Section title="Prices by list">
      <List
        label="Prices by list table"
        query={query}
        columns={{ ...COLUMNS, ...priceColumns() }}
        empty="No price list has a price for this product."
        keyOf={keyOf}
      />
      {skus.length < all.length && <Note>Prices of units without a SKU, or with a comma in it, are not shown.</Note>}
      {total > lists.length && <Note>{`${count(total - lists.length, 'more price list')} not shown.`}</Note>}
    </Section>
  );
}

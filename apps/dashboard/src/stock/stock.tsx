import { useEffect, useState } from 'preact/hooks';
import { allOf, api, get, useGet, useRead, type Schemas } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Check, Choices, Field, Units, type Values } from '../parts/ask.js';
import { Choice, Filters, List, Named, pageOf, right, type Columns } from '../parts/list.js';
import { Button, LinkButton, Note, Page, RowActions } from '../parts/page.js';
import { count, Time } from '../parts/text.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { linesIn, readLine, sumsOf, wordsOf, type Reading, type SkuLine } from './skus.js';

export type StockRow = Schemas['StockListItem'];

const useWarehouses = () => useRead(['/v1/warehouses'], () => allOf((query) => get('/v1/warehouses', { query }))).data;

/** What names a row. Its units may change while a dialog of it is open. */
export const keyOf = (row: StockRow) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/');

function BinName({ warehouse, bin }: Pick<StockRow, 'warehouse' | 'bin'>) {
  const isClosed = useWarehouses()?.data.some(({ code, active }) => code === warehouse && !active);
  const name = bin ? <span class="n">{`${warehouse}/${bin}`}</span> : '–';
  return <Named name={name} small={[isClosed && 'closed, not for sale']} />;
}

const PLACE = {
  SKU: ({ sku, product_id }: Pick<StockRow, 'sku' | 'product_id'>) => (
    <Named name={sku || `Product ${product_id}`} href={to(`/products/${product_id}`)} />
  ),
  Bin: (row: Pick<StockRow, 'warehouse' | 'bin'>) => <BinName {...row} />,
};

const MOVEMENT: Columns<Schemas['StockMovement']> = {
  When: ({ at }) => <Time at={at} />,
  Why: ({ kind, order_id, reference }) => {
    const word = kind.toLowerCase();
    return order_id ? <a href={to(`/orders/${order_id}`)}>{word}</a> : `${word} ${reference}`;
  },
  Who: ({ actor }) => actor?.name,
  Units: right(({ quantity: n }) => `${n > 0 ? '+' : ''}${n.toLocaleString()}`),
};

/** The filter of a row of the stock. The ledger finds a unit by its SKU, or else by its product. */
const filterOf = ({ sku, product_id, warehouse, bin }: StockRow) =>
  sku ? { sku, warehouse, bin } : { product_id: String(product_id), warehouse, bin };

const useMovements = (query: object) => useGet('/v1/stock/movements', { query });

function Newest({ row }: { row: StockRow }) {
  const query = useMovements({ ...filterOf(row), limit: 3 });
  return <List label="Newest movements" query={query} columns={MOVEMENT} empty="Nothing has moved." />;
}

export function Movements() {
  const { query } = useRoute();
  const list = useMovements({ ...query, ...pageOf(query) });
  const columns = { ...PLACE, ...MOVEMENT };
  return (
    <Page title={query.sku ? `History of ${query.sku}` : 'History of the stock'} back="Stock">
      {query.warehouse && <p class="facts">{`${query.warehouse}/${query.bin ?? ''}`}</p>}
      <List label="Movements" noun="movement" query={list} columns={columns} empty="Nothing has moved." />
    </Page>
  );
}

/** All lines or none, so that a corrected request changes nothing twice. */
async function change(given: Schemas['ChangeStockRequest'], text: string): Promise<string> {
  await api.POST('/v1/stock', { body: { ...given, atomic: true } });
  return text;
}

function ChangeUnits({ row, isSet = false }: { row: StockRow; isSet?: boolean }) {
  const { product_id, variant_id, warehouse, bin } = row;
  const name = row.sku || `product ${product_id}`;
  const send = ({ units, reason, expected }: Values<'units' | 'reason' | 'expected'>) => {
    const effect = isSet ? { set: readUnits(units), expected: Number(expected) } : { adjust: readUnits(units) };
    const lines = [{ product_id, variant_id, warehouse, bin, ...effect }];
    return change({ reason, lines }, `The stock of ${name} is changed.`);
  };
  const words = isSet
    ? { label: 'Set…', title: `Set the units of ${name}`, submitLabel: 'Set' }
    : { label: '±', title: `Add or remove ${name}`, submitLabel: 'Change' };
  const units = isSet
    ? { label: 'Units that can be sold', hint: 'Without what is sold and still lies there.' }
    : { label: 'Units', hint: '5 came in, -2 are gone.' };
  return (
    <ConfirmDialog {...words} send={send}>
      <Present row={row} />
      <Newest row={row} />
      <Units {...units} name="units" autoFocus />
      <Field label="Reason" name="reason" />
    </ConfirmDialog>
  );
}

/** What was there when the dialog opened. What was sold since must be seen before the units are set. */
function Present({ row: { quantity, warehouse, bin } }: { row: StockRow }) {
  const [seen, see] = useState(quantity);
  const button = <Button text="Seen" onClick={() => see(quantity)} />;
  return (
    <Note tone={seen === quantity ? 'quiet' : 'wait'} action={seen !== quantity && button}>
      <input type="hidden" name="expected" value={seen} />
      {seen === quantity
        ? `${warehouse}/${bin} has ${count(seen, 'unit')}.`
        : `It has ${quantity.toLocaleString()} now, no longer ${seen.toLocaleString()}.`}
    </Note>
  );
}

export const Change = right(
  (row: StockRow) =>
    row.bin && (
      <RowActions of={`${row.sku || `product ${row.product_id}`} in ${row.warehouse}/${row.bin}`}>
        {can('stock') && <ChangeUnits row={row} />}
        {can('stock') && <ChangeUnits row={row} isSet />}
        <LinkButton text="History" href={to('/stock/movements', filterOf(row))} />
      </RowActions>
    ),
);

/** The most SKUs that a filter of the stock takes. */
const MAX_SKUS_PER_READ = 100;

/** Letter case does not matter, unless one is spelled exactly so. */
const keyOfSku = (sku: string) => sku.toLowerCase();

/** Which of the SKUs the store has, on sale or in a bin. A filter by SKUs separates them by commas. */
async function findKnownSkus(skus: readonly string[]): Promise<ReadonlySet<string>> {
  const plain = skus.filter((sku) => !sku.includes(','));
  const found: { sku: string }[] = [];
  for (let n = 0; n < plain.length; n += MAX_SKUS_PER_READ) {
    const sku = plain.slice(n, n + MAX_SKUS_PER_READ).join(',');
    const onSale = await allOf((page) => get('/v1/skus', { query: { sku, ...page } }));
    const inBins = await allOf((page) => get('/v1/stock', { query: { sku, ...page } }));
    found.push(...onSale.data, ...inBins.data);
  }
  for (const search of skus.filter((sku) => sku.includes(',')))
    found.push(...(await allOf((page) => get('/v1/skus', { query: { search, ...page } }))).data);
  return new Set(found.map(({ sku }) => keyOfSku(sku)));
}

/** The units by SKU. @param ask gets the lines that may mean two things, for which there is no answer yet. */
async function unitsIn(text: string, answers: Values, ask: (lines: readonly SkuLine[]) => void): Promise<Reading[]> {
  const lines = linesIn(text);
  const asked = lines.flatMap(({ whole, parted }) => (parted ? [whole.sku, parted.sku] : []));
  const known = await findKnownSkus([...new Set(asked)]);
  const readings = lines.map((line) => readLine(line, (sku) => known.has(keyOfSku(sku)), answers[`line ${line.text}`]));
  const open = lines.filter((_, n) => !readings[n]);
  ask([...new Map(open.map((line) => [line.text, line])).values()]);
  if (open.length > 0) throw new Error('Say what these lines mean.');
  return sumsOf(readings.filter((reading) => reading !== undefined));
}

/** The end of the feed when the dialog opened, as of which is counted. The page may have seen less of the feed. */
function AsOf() {
  const [cursor, setCursor] = useState('');
  useEffect(() => {
    const end = get('/v1/changes', { query: { kinds: 'stock', cursor: 'now' } });
    end.then(({ cursor }) => setCursor(cursor)).catch(() => undefined);
  }, []);
  return <input type="hidden" name="as_of" value={cursor} />;
}

const COUNT = 'Count all that lies in the bin, without open parcels. What sells from now on is taken off.';
const UNITS = {
  label: 'SKUs and units',
  placeholder: 'R-1-42 24\nR-1-43',
  hint: 'A SKU in each line, then its units. Without units it is one, and the same SKU again adds: scan.',
};

function BulkDialog({ isCount = false }: { isCount?: boolean }) {
  const places = useWarehouses()?.data.flatMap(({ code, bins }) => bins.map((bin) => `${code}/${bin}`));
  const [open, ask] = useState<readonly SkuLine[]>([]);
  const send = async (values: Values<'place' | 'as_of' | 'reference' | 'lines'>) => {
    const { place, as_of, reference } = values;
    const [, warehouse, bin] = /^([^/]*)\/(.*)$/.exec(place) ?? [];
    if (isCount && as_of === '')
      throw new Error('The service did not answer when this was opened. Close it, and open it again.');
    const units = await unitsIn(values.lines, values, ask);
    const lines = units.map(({ sku, units }) => ({
      sku,
      ...(warehouse && bin ? { warehouse, bin } : {}),
      ...(isCount ? { counted: units, as_of, basis: 'in_bin' as const } : { adjust: units }),
    }));
    const body = { reference: reference || null, reason: isCount ? 'Count' : 'Goods receipt', lines };
    return change(body, `${count(lines.length, 'SKU')} ${isCount ? 'counted' : 'received'}.`);
  };
  const words = isCount
    ? { label: 'Count…', title: 'Enter a count', submitLabel: 'Enter', text: COUNT }
    : { label: 'Receive…', title: 'Receive goods', submitLabel: 'Receive', tone: 'primary' as const };
  return (
    <ConfirmDialog {...words} send={send}>
      {isCount && <AsOf />}
      <div class="pair">
        <Field label={isCount ? 'Count number' : 'Delivery number'} name="reference" hint="Applies once." />
        <Field label="Bin" name="place" list="bins" placeholder="MAIN/A-1" hint="Empty: the one that has the SKU." />
      </div>
      <datalist id="bins">
        {places?.map((place) => (
          <option key={place} value={place} />
        ))}
      </datalist>
      <Field {...UNITS} name="lines" rows={6} required autoFocus spellcheck={false} onInput={() => ask([])} />
      {open.map(({ text, whole, parted }) => {
        const words = [whole, ...(parted ? [parted] : [])].map((reading) => [wordsOf(reading), 0] as const);
        return <Choices key={text} label={text} name={`line ${text}`} of={Object.fromEntries(words)} />;
      })}
    </ConfirmDialog>
  );
}

type Unit = Schemas['SkuListItem'];
type Row = StockRow & { readonly unit: Unit | undefined };

const skusOf = (rows: readonly { readonly sku: string }[]) => [...new Set(rows.map(({ sku }) => sku).filter(Boolean))];
const isOf = (row: StockRow) => (unit: Unit) =>
  unit.product_id === row.product_id && unit.variant_id === row.variant_id;

/** The list of the stock does not search. */
async function findSkus(search: string): Promise<string[]> {
  const { data } = await get('/v1/skus', { query: { search, limit: MAX_SKUS_PER_READ } });
  return skusOf([{ sku: search }, ...data]).slice(0, MAX_SKUS_PER_READ);
}

/** A page of the SKUs without units, each with the bins in which it lay, or with none. */
async function readOutOfStock({ search, warehouse, bin, ...route }: Route['query']) {
  const units = await get('/v1/skus', { query: { search, out_of_stock: true, ...pageOf(route) } });
  const query = { sku: skusOf(units.data).join(','), warehouse, bin };
  const stock = query.sku ? await allOf((page) => get('/v1/stock', { query: { ...query, ...page } })) : undefined;
  const data = units.data.flatMap((unit) => {
    const found = stock?.data.filter((row) => isOf(row)(unit)) ?? [];
    const lying: StockRow[] = found.length > 0 ? found : [{ ...unit, warehouse: '', bin: '', quantity: 0 }];
    return lying.map((row): Row => ({ ...row, unit }));
  });
  return { ...units, data, left: stock?.left ?? 0, isCut: false };
}

/** The rows with the names of what is on sale. */
async function read({ search, warehouse, bin, ...route }: Route['query']) {
  const skus = search ? await findSkus(search) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, ...pageOf(route) };
  const stock = await get('/v1/stock', { query });
  const sku = skusOf(stock.data).join(',');
  const names = sku ? await allOf((page) => get('/v1/skus', { query: { sku, ...page } })) : undefined;
  const data = stock.data.map((row): Row => ({ ...row, unit: names?.data.find(isOf(row)) }));
  return { ...stock, data, isCut: skus?.length === MAX_SKUS_PER_READ };
}

const COLUMNS: Columns<Row> = {
  SKU: PLACE.SKU,
  Product: ({ unit }) =>
    unit ? <Named name={unit.name} small={Object.values(unit.attributes)} /> : <span class="soft">not on sale</span>,
  Bin: PLACE.Bin,
  Available: right(({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>),
  Change,
};

export function Stock() {
  const { query } = useRoute();
  const warehouses = useWarehouses();
  const codes = warehouses?.data.map(({ code, name }) => [code, name]);
  const list = useRead(['stock', query], () => (query.out ? readOutOfStock : read)(query));
  const history = <LinkButton key="history" text="History" href={to('/stock/movements')} />;
  const changes = can('stock') && [<BulkDialog key="count" isCount />, <BulkDialog key="receipt" />];
  return (
    <Page title="Stock" actions={[history, changes]}>
      <Filters search="SKU or name">
        <Choice name="warehouse" label="Warehouse" values={codes ?? []} left={warehouses?.left} />
        <Check label="Only out of stock" name="out" value="1" defaultChecked={!!query.out} />
      </Filters>
      {list.data?.isCut && (
        <Note>{`Only the first ${MAX_SKUS_PER_READ} SKUs that match are shown. Type more of the name.`}</Note>
      )}
      <List
        label="Stock rows"
        noun={query.out ? 'SKU' : 'row'}
        query={list}
        columns={COLUMNS}
        empty="No stock matches."
        keyOf={keyOf}
      />
    </Page>
  );
}

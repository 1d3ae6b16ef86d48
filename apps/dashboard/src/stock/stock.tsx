import { useEffect, useState } from 'preact/hooks';
import { allOf, api, get, useGet, useRead, type Schemas, type Table } from '../http.js';
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

/** Returns the key of a row. Its units may change while its dialog is open. */
export const keyOf = (row: StockRow) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/');

function BinName({ warehouse, bin }: Pick<StockRow, 'warehouse' | 'bin'>) {
  const isClosed = useWarehouses()?.data.some(({ code, active }) => code === warehouse && !active);
  const name = bin ? <span class="n">{`${warehouse}/${bin}`}</span> : '–';
  return <Named name={name} small={[isClosed && 'inactive, not for sale']} />;
}

const PLACE = {
  SKU: ({ sku, product_id }: Pick<StockRow, 'sku' | 'product_id'>) => (
    <Named name={sku || `Product ${product_id}`} href={to(`/products/${product_id}`)} />
  ),
  Bin: (row: Pick<StockRow, 'warehouse' | 'bin'>) => <BinName {...row} />,
};

const MOVEMENT: Columns<Schemas['StockMovement']> = {
  Time: ({ at }) => <Time at={at} />,
  Reason: ({ kind, order_id, reference }) => {
    const word = kind.toLowerCase();
    return order_id ? <a href={to(`/orders/${order_id}`)}>{word}</a> : `${word} ${reference}`;
  },
  Actor: ({ actor }) => actor?.name,
  Units: right(({ quantity: n }) => `${n > 0 ? '+' : ''}${n.toLocaleString()}`),
};

/** Returns the filter for a row of the stock. The ledger finds a unit by SKU, or else by product. */
const filterOf = ({ sku, product_id, warehouse, bin }: StockRow) =>
  sku ? { sku, warehouse, bin } : { product_id: String(product_id), warehouse, bin };

const useMovements = (query: object) => useGet('/v1/stock/movements', { query });

function Newest({ row }: { row: StockRow }) {
  const query = useMovements({ ...filterOf(row), limit: 3 });
  return <List label="Newest movements" query={query} columns={MOVEMENT} empty="No movements." />;
}

export function Movements() {
  const { query } = useRoute();
  const list = useMovements({ ...query, ...pageOf(query) });
  const columns = { ...PLACE, ...MOVEMENT };
  return (
    <Page title={query.sku ? `History of ${query.sku}` : 'Stock history'} back="Stock">
      {query.warehouse && <p class="facts">{`${query.warehouse}/${query.bin ?? ''}`}</p>}
      <List label="Movements" noun="movement" query={list} columns={columns} empty="No movements." />
    </Page>
  );
}

/** Changes all lines or none, so that a corrected request changes nothing twice. */
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
    return change({ reason, lines }, `Stock of ${name} updated.`);
  };
  const words = isSet
    ? { label: 'Set…', title: `Set the stock of ${name}`, submitLabel: 'Set' }
    : { label: 'Adjust…', title: `Adjust the stock of ${name}`, submitLabel: 'Adjust' };
  const units = isSet
    ? { label: 'Available units', hint: 'Excluding units that are sold but not shipped.' }
    : { label: 'Units', hint: '5 adds five units, -2 removes two.' };
  return (
    <ConfirmDialog {...words} send={send}>
      <Present row={row} />
      <Newest row={row} />
      <Units {...units} name="units" autoFocus />
      <Field label="Reason" name="reason" />
    </ConfirmDialog>
  );
}

/** Shows the quantity when the dialog opened. The person must see what was sold since before setting the units. */
function Present({ row: { quantity, warehouse, bin } }: { row: StockRow }) {
  const [seen, see] = useState(quantity);
  const button = <Button text="Acknowledge" onClick={() => see(quantity)} />;
  return (
    <Note tone={seen === quantity ? 'quiet' : 'wait'} action={seen !== quantity && button}>
      <input type="hidden" name="expected" value={seen} />
      {seen === quantity
        ? `${warehouse}/${bin}: ${count(seen, 'unit')} available.`
        : `The stock changed from ${seen.toLocaleString()} to ${quantity.toLocaleString()}.`}
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

/** The maximum number of SKUs in a filter of the stock. */
const MAX_SKUS_PER_READ = 100;

/** SKUs match in any letter case, unless one matches exactly. */
const keyOfSku = (sku: string) => sku.toLowerCase();

/** Finds which of the SKUs the store has, on sale or in a bin. The filter separates SKUs by commas. */
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

/** Returns the units by SKU. @param ask receives the ambiguous lines without an answer. */
async function unitsIn(text: string, answers: Values, ask: (lines: readonly SkuLine[]) => void): Promise<Reading[]> {
  const lines = linesIn(text);
  const asked = lines.flatMap(({ whole, parted }) => (parted ? [whole.sku, parted.sku] : []));
  const known = await findKnownSkus([...new Set(asked)]);
  const readings = lines.map((line) => readLine(line, (sku) => known.has(keyOfSku(sku)), answers[`line ${line.text}`]));
  const open = lines.filter((_, n) => !readings[n]);
  ask([...new Map(open.map((line) => [line.text, line])).values()]);
  if (open.length > 0) throw new Error('Choose a meaning for each ambiguous line.');
  return sumsOf(readings.filter((reading) => reading !== undefined));
}

/**
 * Holds the end of the feed when the dialog opened; the count refers to it. The page may have read less of the feed.
 */
function AsOf() {
  const [cursor, setCursor] = useState('');
  useEffect(() => {
    const end = get('/v1/changes', { query: { kinds: 'stock', cursor: 'now' } });
    end.then(({ cursor }) => setCursor(cursor)).catch(() => undefined);
  }, []);
  return <input type="hidden" name="as_of" value={cursor} />;
}

const COUNT = 'Count all units in the bin, except those in open parcels. Sales from now on are deducted.';
const UNITS = {
  label: 'SKUs and units',
  placeholder: 'R-1-42 24\nR-1-43',
  hint: 'One SKU per line, then its units. A line without units counts as one. Repeated SKUs add up, so you can scan.',
};

function BulkDialog({ isCount = false }: { isCount?: boolean }) {
  const places = useWarehouses()?.data.flatMap(({ code, bins }) => bins.map((bin) => `${code}/${bin}`));
  const [open, ask] = useState<readonly SkuLine[]>([]);
  const send = async (values: Values<'place' | 'as_of' | 'reference' | 'lines'>) => {
    const { place, as_of, reference } = values;
    const [, warehouse, bin] = /^([^/]*)\/(.*)$/.exec(place) ?? [];
    if (isCount && as_of === '')
      throw new Error('The service did not answer when this dialog opened. Close it and open it again.');
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
    ? { label: 'Count…', title: 'Record a count', submitLabel: 'Record count', text: COUNT }
    : { label: 'Receive…', title: 'Receive goods', submitLabel: 'Receive', tone: 'primary' as const };
  return (
    <ConfirmDialog {...words} send={send}>
      {isCount && <AsOf />}
      <div class="pair">
        <Field label={isCount ? 'Count number' : 'Delivery number'} name="reference" hint="Use each number once." />
        <Field
          label="Bin"
          name="place"
          list="bins"
          placeholder="MAIN/A-1"
          hint="Leave empty for the bin that holds the SKU."
        />
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

/** Finds SKUs, because the list of stock has no search. */
async function findSkus(search: string): Promise<string[]> {
  const { data } = await get('/v1/skus', { query: { search, limit: MAX_SKUS_PER_READ } });
  return skusOf([{ sku: search }, ...data]).slice(0, MAX_SKUS_PER_READ);
}

/** Returns a page of the SKUs without units, each with the bins that it was in, or with none. */
async function readOutOfStock({ search, warehouse, bin, ...route }: Route['query']) {
  const filters = { search, out_of_stock: true as const };
  const units = await get('/v1/skus', { query: { ...filters, ...pageOf(route) } });
  const query = { sku: skusOf(units.data).join(','), warehouse, bin };
  const stock = query.sku ? await allOf((page) => get('/v1/stock', { query: { ...query, ...page } })) : undefined;
  const data = units.data.flatMap((unit) => {
    const found = stock?.data.filter((row) => isOf(row)(unit)) ?? [];
    const lying: StockRow[] = found.length > 0 ? found : [{ ...unit, warehouse: '', bin: '', quantity: 0 }];
    return lying.map((row): Row => ({ ...row, unit }));
  });
  return { ...units, data, left: stock?.left ?? 0, isCut: false, table: { path: '/v1/skus', query: filters } as Table };
}

/** Returns the rows with the names of what is on sale. */
async function read({ search, warehouse, bin, ...route }: Route['query']) {
  const skus = search ? await findSkus(search) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, ...pageOf(route) };
  const stock = await get('/v1/stock', { query });
  const sku = skusOf(stock.data).join(',');
  const names = sku ? await allOf((page) => get('/v1/skus', { query: { sku, ...page } })) : undefined;
  const data = stock.data.map((row): Row => ({ ...row, unit: names?.data.find(isOf(row)) }));
  return { ...stock, data, isCut: skus?.length === MAX_SKUS_PER_READ, table: { path: '/v1/stock', query } as Table };
}

const COLUMNS: Columns<Row> = {
  SKU: PLACE.SKU,
  Product: ({ unit }) =>
    unit ? <Named name={unit.name} small={Object.values(unit.attributes)} /> : <span class="soft">not for sale</span>,
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
      <Filters search="SKU or name" table={list.data?.table}>
        <Choice name="warehouse" label="Warehouse" values={codes ?? []} left={warehouses?.left} />
        <Check label="Out of stock only" name="out" value="1" defaultChecked={!!query.out} />
      </Filters>
      {list.data?.isCut && (
        <Note>{`Only the first ${MAX_SKUS_PER_READ} matching SKUs are shown. Enter more of the name.`}</Note>
      )}
      <List
        label="Stock rows"
        noun={query.out ? 'SKU' : 'row'}
        query={list}
        columns={COLUMNS}
        empty="No matching stock."
        keyOf={keyOf}
      />
    </Page>
  );
}

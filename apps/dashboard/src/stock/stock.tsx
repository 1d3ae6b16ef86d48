import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { allOf, api, get, useGet, useRead, type Schemas, type Table } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Check, Choices, Expected, Field, Units, type Values } from '../parts/ask.js';
import { Choice, Filters, List, Named, pageOf, right, Rows, type Columns } from '../parts/list.js';
import { LinkButton, Note, Page, RowActions } from '../parts/page.js';
import { count, Time } from '../parts/text.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { linesIn, readLine, sumsOf, wordsOf, type SkuLine, type Sum } from './skus.js';

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
  const { product_id, variant_id, warehouse, bin, quantity } = row;
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
      <Expected value={String(quantity)} noun="stock" say={(units) => Number(units).toLocaleString()}>
        {`${warehouse}/${bin}: ${count(quantity, 'unit')} available.`}
      </Expected>
      <Newest row={row} />
      <Units {...units} name="units" autoFocus />
      <Field label="Reason" name="reason" />
    </ConfirmDialog>
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

/** Returns the units by SKU and bin. @param ask receives the ambiguous lines without an answer. */
async function unitsIn(text: string, answers: Values, ask: (lines: readonly SkuLine[]) => void): Promise<Sum[]> {
  const lines = linesIn(text);
  const asked = lines.flatMap(({ whole, parted }) => (parted ? [whole.sku, parted.sku] : []));
  const known = await findKnownSkus([...new Set(asked)]);
  const readings = lines.map((line) => readLine(line, (sku) => known.has(keyOfSku(sku)), answers[`line ${line.text}`]));
  const open = lines.filter((_, n) => !readings[n]);
  ask([...new Map(open.map((line) => [line.text, line])).values()]);
  if (open.length > 0) throw new Error('Choose a meaning for each ambiguous line.');
  return sumsOf(
    lines.flatMap(({ text }, n) => {
      const reading = readings[n];
      return reading ? [{ ...reading, text, place: answers[placeName(text)] || answers.place || '' }] : [];
    }),
  );
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

const placeName = (text: string) => `bin of ${text}`;

/** Refuses a bin that the store does not have. @param bins absent while they are loading, or when there are too many. */
const checkBin =
  (bins: readonly string[] | undefined) =>
  ({ currentTarget: field }: JSX.TargetedInputEvent<HTMLInputElement>) =>
    field.setCustomValidity(!field.value || !bins || bins.includes(field.value) ? '' : 'Choose a bin of the list.');

function BulkDialog({ isCount = false }: { isCount?: boolean }) {
  const warehouses = useWarehouses();
  const places = warehouses?.data.flatMap(({ code, bins }) => bins.map((bin) => `${code}/${bin}`));
  const onInput = checkBin(warehouses?.left === 0 ? places : undefined);
  const [text, setText] = useState('');
  const [open, ask] = useState<readonly SkuLine[]>([]);
  /** Why each line was refused, by its text. */
  const [refusals, setRefusals] = useState<Readonly<Record<string, string>>>({});
  /** Each request needs another number, because the service takes each number once. */
  const [sent, setSent] = useState(0);
  const send = async (values: Values<'place' | 'as_of' | 'reference' | 'lines'>) => {
    const { as_of, reference } = values;
    if (isCount && as_of === '')
      throw new Error('The service did not answer when this dialog opened. Close it and open it again.');
    const sums = await unitsIn(values.lines, values, ask);
    const lines = sums.map(({ sku, units, place }) => {
      const [, warehouse, bin] = /^([^/]*)\/(.*)$/.exec(place) ?? [];
      const effect = isCount ? { counted: units, as_of, basis: 'in_bin' as const } : { adjust: units };
      return { sku, ...(warehouse && bin && { warehouse, bin }), ...effect };
    });
    const number = reference && sent > 0 ? `${reference}-${sent + 1}` : reference;
    const body = { reference: number || null, reason: isCount ? 'Count' : 'Goods receipt', lines };
    const { data } = await api.POST('/v1/stock', { body });
    const errors = sums.map((_, n) => data?.data.lines[n]?.error ?? '');
    const refused = Object.fromEntries(sums.flatMap(({ texts }, n) => texts.map((each) => [each, errors[n] ?? ''])));
    const kept = linesIn(values.lines).filter((line) => refused[line.text]);
    const done = `${count(errors.filter((error) => !error).length, 'SKU')} ${isCount ? 'counted' : 'received'}.`;
    setText(kept.map((line) => line.text).join('\n'));
    setRefusals(refused);
    setSent(sent + 1);
    if (kept.length === 0) return done;
    throw new Error(
      `${done} ${count(kept.length, 'line')} refused: correct ${kept.length === 1 ? 'it' : 'them'} above.`,
    );
  };
  const words = isCount
    ? { label: 'Count…', title: 'Record a count', submitLabel: 'Record count', text: COUNT }
    : { label: 'Receive…', title: 'Receive goods', submitLabel: 'Receive', tone: 'primary' as const };
  const bin = { list: 'bins', placeholder: 'MAIN/A-1', autoComplete: 'off', onInput };
  const rows = [...new Set(linesIn(text).map((line) => line.text))].map((key) => ({
    key,
    name: key,
    detail: refusals[key] && <span class="bad">{refusals[key]}</span>,
    end: <input {...bin} key="bin" name={placeName(key)} aria-label={`Bin of ${key}`} placeholder="Bin as above" />,
  }));
  const take = (typed: string) => {
    setText(typed);
    ask([]);
  };
  const reset = () => {
    take('');
    setRefusals({});
    setSent(0);
  };
  return (
    <ConfirmDialog {...words} send={send} onOpen={reset}>
      {isCount && <AsOf />}
      <div class="pair">
        <Field
          label={isCount ? 'Count number' : 'Delivery number'}
          name="reference"
          hint={sent > 0 ? `The next part is recorded with -${sent + 1} at its end.` : 'Use each number once.'}
        />
        <Field {...bin} label="Bin" name="place" hint="Leave empty for the bin that holds the SKU." />
      </div>
      <datalist id="bins">
        {places?.map((place) => (
          <option key={place} value={place} />
        ))}
      </datalist>
      <Field
        {...UNITS}
        name="lines"
        rows={6}
        required
        autoFocus
        spellcheck={false}
        value={text}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <Rows rows={rows} />
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

/** Returns a page of the SKUs with low stock, or without units, each with the bins that it was in, or with none. */
async function readShort({ search, warehouse, bin, low, ...route }: Route['query']) {
  const short = low ? ({ low_stock: true } as const) : ({ out_of_stock: true } as const);
  const filters = { search, ...short };
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
  const isShort = !!query.out || !!query.low;
  const list = useRead(['stock', query], () => (isShort ? readShort : read)(query));
  const history = <LinkButton key="history" text="History" href={to('/stock/movements')} />;
  const changes = can('stock') && [<BulkDialog key="count" isCount />, <BulkDialog key="receipt" />];
  return (
    <Page title="Stock" actions={[history, changes]}>
      <Filters search="SKU or name" table={list.data?.table}>
        <Choice name="warehouse" label="Warehouse" values={codes ?? []} left={warehouses?.left} />
        <Check label="Out of stock only" name="out" value="1" defaultChecked={!!query.out} />
        <Check label="Low stock only" name="low" value="1" defaultChecked={!!query.low} />
      </Filters>
      {list.data?.isCut && (
        <Note>{`Only the first ${MAX_SKUS_PER_READ} matching SKUs are shown. Enter more of the name.`}</Note>
      )}
      <List
        label="Stock rows"
        noun={isShort ? 'SKU' : 'row'}
        query={list}
        columns={COLUMNS}
        empty="No matching stock."
        first="No stock yet. Import products, then receive goods."
        keyOf={keyOf}
      />
    </Page>
  );
}

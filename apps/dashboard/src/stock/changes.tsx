import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../http.js';
import { Ask, Field, textIn } from '../parts/ask.js';
import type { Column } from '../parts/list.js';
import { Note } from '../parts/page.js';
import { count } from '../parts/text.js';
import { to } from '../route.js';
import { can } from '../session.js';
import { filterOf, Newest, useWarehouses, type StockRow } from './movements.js';

/** All lines or none, so that a corrected request changes nothing twice. */
async function change(given: Schemas['ChangeStockRequest'], text: string): Promise<string> {
  await api.POST('/v1/stock', { body: { ...given, atomic: true } });
  return text;
}

function ChangeUnits({ row, isSet = false }: { row: StockRow; isSet?: boolean }) {
  const { product_id, variant_id, warehouse, bin } = row;
  const name = row.sku || `product ${product_id}`;
  const send = (form: FormData) => {
    const units = Number(textIn(form, 'units'));
    const effect = isSet ? { set: units, expected: Number(textIn(form, 'expected')) } : { adjust: units };
    const lines = [{ product_id, variant_id, warehouse, bin, ...effect }];
    return change({ reason: textIn(form, 'reason'), lines }, `The stock of ${name} is changed.`);
  };
  return (
    <Ask
      label={isSet ? 'Set…' : '±'}
      title={isSet ? `Set the units of ${name}` : `Add or remove ${name}`}
      verb={isSet ? 'Set' : 'Change'}
      send={send}
    >
      <Present row={row} />
      <Newest row={row} />
      <Field
        label={isSet ? 'Units that can be sold' : 'Units'}
        name="units"
        type="number"
        required
        autoFocus
        hint={isSet ? 'Without what is sold and still lies there.' : '5 came in, -2 are gone.'}
      />
      <Field label="Reason" name="reason" />
    </Ask>
  );
}

/** What was there when the dialog opened. What was sold since must be seen before the units are set. */
function Present({ row: { quantity, warehouse, bin } }: { row: StockRow }) {
  const [seen, see] = useState(quantity);
  const button = (
    <button type="button" onClick={() => see(quantity)}>
      Seen
    </button>
  );
  return (
    <Note tone={seen === quantity ? 'quiet' : 'wait'} action={seen !== quantity && button}>
      <input type="hidden" name="expected" value={seen} />
      {seen === quantity
        ? `${warehouse}/${bin} has ${count(seen, 'unit')}.`
        : `It has ${quantity.toLocaleString()} now, no longer ${seen.toLocaleString()}.`}
    </Note>
  );
}

export const CHANGES: Column<StockRow> = {
  name: 'Change',
  isNumber: true,
  cell: (row) =>
    row.bin && (
      <span class="actions">
        {can('stock') && <ChangeUnits row={row} />}
        {can('stock') && <ChangeUnits row={row} isSet />}
        <a class="button" href={to('/stock/movements', filterOf(row))}>
          History
        </a>
      </span>
    ),
};

/** `SKU units` of each line. A SKU without units is one, and the same one again adds, as a scanner gives them. */
function unitsOf(text: string): [sku: string, units: number][] {
  const sums = new Map<string, number>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, sku = '', units = '1'] = /^(.*?)(?:[\s,;]+(\d{1,9}))?$/.exec(line.trim()) ?? [];
    sums.set(sku, (sums.get(sku) ?? 0) + Number(units));
  }
  return [...sums];
}

/** The end of the feed when the dialog opened, as of which is counted. The page may have seen less of the feed. */
function AsOf() {
  const [cursor, setCursor] = useState('');
  useEffect(() => {
    const params = { query: { kinds: 'stock', cursor: 'now' } };
    const take = (answer?: { data?: Schemas['ChangePage'] }) => setCursor(answer?.data?.cursor ?? '');
    api.GET('/v1/changes', { params }).then(take, () => take());
  }, []);
  return <input type="hidden" name="as_of" value={cursor} />;
}

/** Goods that came, or a count, of several SKUs. */
export function Several({ isCount = false }: { isCount?: boolean }) {
  const places = useWarehouses().flatMap(({ code, bins }) => bins.map((bin) => `${code}/${bin}`));
  const send = async (form: FormData) => {
    const [, warehouse, bin] = /^([^/]*)\/(.*)$/.exec(textIn(form, 'place')) ?? [];
    const as_of = textIn(form, 'as_of');
    if (isCount && as_of === '')
      throw new Error('The service did not answer when this was opened. Close it, and open it again.');
    const lines = unitsOf(textIn(form, 'lines')).map(([sku, units]) => ({
      sku,
      ...(warehouse && bin ? { warehouse, bin } : {}),
      ...(isCount ? { counted: units, as_of, basis: 'in_bin' as const } : { adjust: units }),
    }));
    const body = { reference: textIn(form, 'reference') || null, reason: isCount ? 'Count' : 'Goods receipt', lines };
    return change(body, `${count(lines.length, 'SKU')} ${isCount ? 'counted' : 'received'}.`);
  };
  return (
    <Ask
      label={isCount ? 'Count…' : 'Receive…'}
      title={isCount ? 'Enter a count' : 'Receive goods'}
      verb={isCount ? 'Enter' : 'Receive'}
      tone={isCount ? undefined : 'primary'}
      text={isCount && 'Count all that lies in the bin, without open parcels. What sells from now on is taken off.'}
      send={send}
    >
      {isCount && <AsOf />}
      <div class="pair">
        <Field label={isCount ? 'Count number' : 'Delivery number'} name="reference" hint="Applies once." />
        <Field label="Bin" name="place" list="bins" placeholder="MAIN/A-1" hint="Empty: the one that has the SKU." />
      </div>
      <datalist id="bins">
        {places.map((place) => (
          <option key={place} value={place} />
        ))}
      </datalist>
      <label class="field">
        <span>SKUs and units</span>
        <textarea name="lines" rows={6} required autoFocus spellcheck={false} placeholder={'R-1-42 24\nR-1-43'} />
        <small>A SKU in each line, then its units. Without units it is one, and the same SKU again adds: scan.</small>
      </label>
    </Ask>
  );
}

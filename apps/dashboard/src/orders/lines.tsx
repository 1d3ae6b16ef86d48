import { useEffect, useRef, useState } from 'preact/hooks';
import { get, useRead, type Schemas } from '../http.js';
import { minorOf, money, readUnits } from '../parts/amount.js';
import { TYPING_MS, UnitsInput, valuesOf, type Values } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { Button } from '../parts/page.js';
import { count, joined } from '../parts/text.js';
import { currency } from '../session.js';
import { describe } from './columns.js';

type Sku = Schemas['SkuListItem'];

export const MAX_UNITS = 999;
const MAX_FOUND = 8;

/** Returns the valid values of the form around the element, after each pause in typing. */
export function useTyped<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [values, setValues] = useState<Values>({});
  useEffect(() => {
    const form = ref.current?.closest('form');
    if (!form) return;
    let pause: ReturnType<typeof setTimeout>;
    const read = () => {
      const invalid = new Set([...form.querySelectorAll<HTMLInputElement>('input:invalid')].map(({ name }) => name));
      const all = Object.entries(valuesOf(new FormData(form)));
      setValues(Object.fromEntries(all.filter(([name]) => !invalid.has(name))));
    };
    const readSoon = () => {
      clearTimeout(pause);
      pause = setTimeout(read, TYPING_MS);
    };
    read();
    form.addEventListener('input', readSoon);
    return () => {
      clearTimeout(pause);
      form.removeEventListener('input', readSoon);
    };
  }, []);
  return { ref, values };
}

interface FindProps<Row> {
  readonly id: string;
  readonly label: string;
  readonly verb: string;
  /** What the rows depend on besides the text. */
  readonly of?: string | undefined;
  find(this: void, text: string): Promise<{ data: Row[]; pagination: { total: number } }>;
  rowOf(this: void, row: Row): Readonly<{ key: string; name: string; detail: string }>;
  onPick(this: void, row: Row): void;
}

/** Finds rows while the person types. Enter moves to the first one, and does not submit the surrounding form. */
export function Find<Row>({ id, label, verb, of, find, rowOf, onPick }: FindProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>();
  const isEntered = useRef(false);
  const [text, setText] = useState('');
  const nothing = { data: [], pagination: { total: 0 } };
  const query = useRead(['find', id, of, text], () => (text ? find(text) : Promise.resolve(nothing)));
  const found = query.data ?? nothing;
  const isFound = text !== '' && query.data !== undefined && !query.isPlaceholderData;
  const left = found.pagination.total - found.data.length;
  const focusFirst = () => box.current?.querySelector('button')?.focus();
  useEffect(() => {
    if (!isFound || !isEntered.current) return;
    isEntered.current = false;
    focusFirst();
  });
  const pick = (row: Row) => {
    const field = box.current?.querySelector('input');
    if (field) field.value = '';
    setText('');
    onPick(row);
  };
  const onInput = ({ currentTarget: field }: { currentTarget: HTMLInputElement }) => {
    clearTimeout(pause.current);
    isEntered.current = false;
    pause.current = setTimeout(() => setText(field.value.trim()), TYPING_MS);
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key !== 'Enter') return;
    // The button that gets the focus would take the key as well.
    event.preventDefault();
    clearTimeout(pause.current);
    const typed = event.currentTarget.value.trim();
    if (isFound && typed === text) return focusFirst();
    isEntered.current = typed !== '';
    setText(typed);
  };
  const rows = found.data.map((row) => {
    const line = rowOf(row);
    return { ...line, end: <Button text={verb} class="small" onClick={() => pick(row)} /> };
  });
  const words = left > 0 ? `${count(left, 'more row')}. Type more.` : count(rows.length, 'row');
  return (
    <div ref={box}>
      <label class="field">
        <span>{label}</span>
        <input {...{ id, onInput, onKeyDown }} type="search" form="" autoComplete="off" />
      </label>
      {text && <Rows rows={rows} />}
      <small aria-live="polite">{isFound && words}</small>
    </div>
  );
}

const PREFIX = 'add-';
/** The field of the units has the ids in its name, so that the form alone has all that is ordered. */
export const fieldOf = ({ product_id, variant_id }: Schemas['OrderItemRequest'] | Sku): string =>
  `${PREFIX}${product_id}-${variant_id ?? ''}`;

/** Reads the items to add from their fields. */
export const itemsIn = (values: Values) =>
  Object.keys(values)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => {
      const [, product, variant] = name.split('-');
      return {
        product_id: Number(product),
        variant_id: variant ? Number(variant) : null,
        quantity: readUnits(values[name] ?? ''),
      };
    });

/** Formats a price in major units. */
export const priceText = (price: number): string => money(minorOf(price, currency()), currency());

const priceOf = ({ price, price_source, price_breaks = [] }: Sku): string => {
  const breaks = price_breaks.slice(1).map(({ from_quantity, price: at }) => `${priceText(at)} from ${from_quantity}`);
  return [priceText(price), ...breaks].join(', ') + (price_source ? ` (${price_source})` : '');
};

type Texts = Readonly<Record<string, string | undefined>>;
type AddLinesProps = Readonly<{ customer: string | undefined; amounts: Texts; faults: Texts }>;

/** Products to add, each with its units. @param amounts by field, as are the faults. */
export function AddLines({ customer, amounts, faults }: AddLinesProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState<readonly Sku[]>([]);
  // The browser fires no event for a field that is added or removed.
  useEffect(() => void ref.current?.closest('form')?.dispatchEvent(new Event('input')), [added]);
  const find = (search: string) =>
    get('/v1/skus', { query: { search, limit: MAX_FOUND, ...(customer && { customer_id: customer }) } });
  const onPick = (sku: Sku) => {
    if (!added.some((each) => fieldOf(each) === fieldOf(sku))) setAdded([...added, sku]);
    setTimeout(() => {
      const field = ref.current?.querySelector<HTMLInputElement>(`[name="${fieldOf(sku)}"]`);
      field?.focus();
      field?.select();
    });
  };
  const rowOf = (sku: Sku) => {
    const detail = joined([describe(sku), `${sku.quantity.toLocaleString()} available`, priceOf(sku)]);
    return { key: fieldOf(sku), name: sku.name, detail };
  };
  const rows = added.map((sku) => {
    const name = fieldOf(sku);
    const remove = () => setAdded(added.filter((each) => each !== sku));
    return {
      key: name,
      name: sku.name,
      detail: joined([describe(sku), `${sku.quantity.toLocaleString()} available`]),
      end: [
        <UnitsInput
          key="units"
          {...{ name }}
          most={MAX_UNITS}
          defaultValue={1}
          aria-label={`Units of ${sku.name}`}
          required
        />,
        <span key="amount" class="n" children={amounts[name]} />,
        <Button key="remove" text="Remove" class="quiet small" onClick={remove} />,
        faults[name] && <small key="fault" class="bad wide" children={faults[name]} />,
      ],
    };
  });
  return (
    <div ref={ref} class="form">
      {rows.length > 0 && <Rows rows={rows} />}
      <Find
        id="find-product"
        label="Add a product by name or SKU"
        verb="Add"
        of={customer}
        {...{ find, rowOf, onPick }}
      />
    </div>
  );
}

const LINE = /^(items|set|add)\[(\d+)\](.*)$/;
type Fault = NonNullable<Schemas['Error']['faults']>[number];
const faultsIn = (error: unknown): readonly Fault[] => (error as Partial<Schemas['Error']> | null)?.faults ?? [];

export const isOfLines = (error: unknown): boolean => faultsIn(error).some(({ path }) => LINE.test(path));

/** Returns why lines are refused, by their fields. @param fields the fields of each list of the request, in its order. */
export function lineFaults(error: unknown, fields: Readonly<Record<string, readonly string[]>>): Texts {
  const texts = faultsIn(error).flatMap(({ path, message }) => {
    const [, list = '', index, field] = LINE.exec(path) ?? [];
    const name = fields[list]?.[Number(index)];
    if (!name) return [];
    const [, available] = /^requested \d+, available (\d+)/.exec(message) ?? [];
    // A line that changes requests only the units that it gets in addition.
    if (available) return [[name, `Only ${available} ${list === 'set' ? 'more ' : ''}available.`] as const];
    return [[name, /_id$|sku$/.test(field ?? '') ? 'Not available.' : `${message}.`] as const];
  });
  return Object.fromEntries(texts);
}

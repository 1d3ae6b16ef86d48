import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { download, textOf, type Table as CsvTable } from '../http.js';
import { go, here, to, useRoute, type Route } from '../route.js';
import { TYPING_MS, valuesOf } from './ask.js';
import { announce, Button, LinkButton, Note, QueryStatus, RowName } from './page.js';
import { count, joined } from './text.js';

type Cell<Row> = (row: Row) => ComponentChildren;

/** What each column shows of a row, by heading. */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | { readonly right: Cell<Row> }>>;

export const right = <Row,>(cell: Cell<Row>) => ({ right: cell });

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: Columns<Row>;
  /** Returns the name of a row, where it is not its whole id. */
  readonly keyOf?: (row: Row) => string;
  readonly foot?: ComponentChildren;
  /** The names of the chosen rows, when rows can be chosen. */
  readonly chosen?: ReadonlySet<string>;
  readonly choose?: (keys: ReadonlySet<string>) => void;
}

const idOf = (row: unknown): string => (row as { id?: string }).id ?? JSON.stringify(row);

/** The roles are explicit because a narrow table is shown as cards, which some browsers do not treat as a table. */
export function Table<Row>({ label, rows, columns, keyOf = idOf, foot, chosen, choose }: TableProps<Row>) {
  const cells = Object.entries(columns).map(([name, column]) =>
    'right' in column ? { name, side: 'n', cell: column.right } : { name, side: '', cell: column },
  );
  const box = (name: string, keys: readonly string[]) => {
    const others = [...(chosen ?? [])].filter((key) => !keys.includes(key));
    const isOn = others.length + keys.length === chosen?.size;
    const toggle = () => choose?.(new Set(isOn ? others : [...others, ...keys]));
    return <input type="checkbox" aria-label={`Select ${name}`} checked={isOn} onChange={toggle} />;
  };
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {chosen && <th role="columnheader" class="check" children={box('all rows', rows.map(keyOf))} />}
            {cells.map(({ name, side }) => (
              <th key={name} role="columnheader" class={side} children={name} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" data-row>
              {chosen && <td role="cell" class="check" children={box(keyOf(row), [keyOf(row)])} />}
              <th role="rowheader">{cells[0]?.cell(row)}</th>
              {cells.slice(1).map(({ name, side, cell }) => (
                <td key={name} role="cell" class={side} data-name={name} children={cell(row)} />
              ))}
            </tr>
          ))}
        </tbody>
        {foot && <tfoot role="rowgroup">{foot}</tfoot>}
      </table>
    </div>
  );
}

const PAGE_SIZE = 50;

/** Returns the page of a list that the address names, or the first one, as an API parameter. */
export const pageOf = ({ page = '' }: Route['query']) => ({
  limit: PAGE_SIZE,
  page: /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1,
});

function Pages({ route, total, noun }: { route: Route; total: number; noun: string }) {
  const { page } = pageOf(route.query);
  const before = (page - 1) * PAGE_SIZE;
  const end = Math.min(total, before + PAGE_SIZE);
  const link = (n: number, rel: 'prev' | 'next', text: string) => (
    <LinkButton {...{ text, rel }} href={to(route.path, { ...route.query, page: n > 1 ? String(n) : undefined })} />
  );
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {total > PAGE_SIZE && `${Math.min(total, before + 1).toLocaleString()}–${end.toLocaleString()} of `}
        {count(total, noun)}
      </span>
      {page > 1 && link(Math.min(page - 1, Math.ceil(total / PAGE_SIZE)), 'prev', 'Previous')}
      {end < total && link(page + 1, 'next', 'Next')}
    </nav>
  );
}

const SEARCH = { id: 'search', type: 'search', name: 'search' };

/** The fields that a person types into. */
const isTypedInto = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && /search|text/.test(target.type);
/** Saves all rows of a table as CSV, whatever page is shown. */
export function Download({ table }: { table: CsvTable }) {
  const [isRunning, run] = useState(false);
  const save = async () => {
    if (isRunning) return;
    run(true);
    await download(table).catch((error: unknown) => announce(textOf(error)));
    run(false);
  };
  return <Button text="Download" class="quiet" aria-busy={isRunning} onClick={() => void save()} />;
}

interface FiltersProps {
  readonly search: string;
  /** The filtered rows, once they are known. */
  readonly table: CsvTable | undefined;
  readonly children: ComponentChildren;
}

/** Stores its values in the address: a choice at once, a text after a pause. Another filter starts at page 1. */
export function Filters({ search, table, children }: FiltersProps) {
  const route = useRoute();
  const address = to(route.path, route.query);
  const shown = useRef({ address, version: 0, isTyped: false });
  const pause = useRef<ReturnType<typeof setTimeout>>();
  // A link recreates the fields. An address that the form wrote itself keeps them, with the caret.
  if (shown.current.address !== address)
    shown.current = { address, version: shown.current.version + 1, isTyped: false };
  const apply = (form: HTMLFormElement, isTyped: boolean) => {
    clearTimeout(pause.current);
    // A field that is removed because the person went to another address reports its text, too.
    if (!form.isConnected || here() !== address) return;
    const unticked = Object.fromEntries([...form.querySelectorAll('input')].map(({ name }) => [name, '']));
    const values = { ...unticked, ...valuesOf(new FormData(form)), page: '' };
    const next = to(route.path, { ...route.query, ...values });
    if (next === address) return;
    // All pauses in typing are one step of the history.
    const replace = isTyped && shown.current.isTyped;
    shown.current = { ...shown.current, address: next, isTyped };
    go(next, replace);
  };
  const applyNow = (event: JSX.TargetedEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(event.currentTarget, event.type === 'submit' || isTypedInto(event.target));
    // The next Enter opens the result.
    if (event.type === 'submit' && shown.current.address === address)
      document.querySelector<HTMLElement>('[data-stale=false] [data-row] a')?.focus();
  };
  const applySoon = ({ currentTarget: form }: JSX.TargetedEvent<HTMLFormElement>) => {
    clearTimeout(pause.current);
    pause.current = setTimeout(apply, TYPING_MS, form, true);
  };
  const on = { onInput: applySoon, onChange: applyNow, onSubmit: applyNow };
  return (
    <form class="filters" role="search" {...on} key={shown.current.version}>
      <input {...SEARCH} aria-label="Search" placeholder={search} defaultValue={route.query.search ?? ''} />
      <div class="actions">
        {children}
        {table && <Download table={table} />}
      </div>
    </form>
  );
}

export const capitalize = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1).toLowerCase();

type ChoiceProps = Readonly<{ name: string; label: string; values: string[][]; left?: number | undefined }>;

/** @param values each value, with its label where that differs. @param left how many more there are. */
export function Choice({ name, label, values, left = 0 }: ChoiceProps) {
  const { query } = useRoute();
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}: any</option>
      {values.map(([value = '', word = capitalize(value)]) => (
        <option key={value} value={value} selected={query[name] === value} children={word} />
      ))}
      {left > 0 && <option disabled>{left.toLocaleString()} more not shown</option>}
    </select>
  );
}

/** A filter by a day. @param of what happened on it, such as `Placed`. */
export function Day({ label, name, of }: Readonly<{ label: string; name: string; of: string }>) {
  const { query } = useRoute();
  return (
    <label class="tick soft">
      {label} <input type="date" name={name} aria-label={`${of} ${name}`} defaultValue={query[name] ?? ''} />
    </label>
  );
}

interface ListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly query: UseQueryResult<{ data: Row[]; pagination: { total: number }; left?: number }>;
  /** The shown rows of the answer, when not all are shown. */
  readonly rows?: readonly Row[];
  readonly empty: string;
  /** What to do first, where nothing is filtered. */
  readonly first?: ComponentChildren;
  /** The word for one row, when the page is the list, with filters and pages in its address. */
  readonly noun?: string;
  /** The address without filters. */
  readonly all?: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
}

export function List<Row>({ query, rows, empty, first, noun, all = {}, children, ...table }: ListProps<Row>) {
  const route = useRoute();
  const shown = rows ?? query.data?.data ?? [];
  const total = query.data?.pagination.total ?? 0;
  const left = query.data?.left ?? 0;
  const isFiltered = noun && to(route.path, all) !== to(route.path, route.query);
  const last = Math.ceil(total / PAGE_SIZE);
  const isBeyond = noun && total > 0 && !query.isPlaceholderData && pageOf(route.query).page > last;
  const lastPage = isBeyond ? to(route.path, { ...route.query, page: last > 1 ? String(last) : '' }) : '';
  useEffect(() => {
    if (lastPage) go(lastPage, true);
  }, [lastPage]);
  return (
    <>
      <QueryStatus query={query} rows={noun ? 12 : 3} />
      <div data-stale={query.isPlaceholderData} aria-busy={query.isPlaceholderData}>
        {query.data && shown.length === 0 && (
          <p class="empty">
            {isFiltered ? empty : (first ?? empty)}{' '}
            {isFiltered && <a href={to(route.path, all)}>Show all {table.label.toLowerCase()}</a>}
          </p>
        )}
        {shown.length > 0 && <Table rows={shown} {...table} />}
        {left > 0 && <Note>{`${count(left, 'more row')} not shown.`}</Note>}
      </div>
      {noun && total > 0 && (
        <div class="bar">
          {children}
          <Pages route={route} total={total} noun={noun} />
        </div>
      )}
    </>
  );
}

type Line = { readonly key: string | number } & Partial<Record<'name' | 'detail' | 'end', ComponentChildren>>;

/** A short list inside a card or a dialog. The detail is below the name, in small type. */
export const Rows = ({ rows }: { rows: readonly Line[] }) => (
  <ul class="rows">
    {rows.map(({ key, name, detail, end }) => (
      <li key={key}>
        <span class="grow">
          {name}
          {detail && <small>{detail}</small>}
        </span>
        <RowName.Provider value={typeof name === 'string' ? name : String(key)}>{end}</RowName.Provider>
      </li>
    ))}
  </ul>
);

/** A name in a cell of a table. @param small parts below the name; empty ones are omitted. */
export function Named({ name, href, small = [] }: { name: ComponentChildren; href?: string; small?: unknown[] }) {
  const text = joined(small);
  return (
    <span class="line">
      {href ? <a href={href}>{name}</a> : name}
      {text && <small>{text}</small>}
    </span>
  );
}

export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren] | false)[] }) => (
  <dl class="facts-list">
    {facts
      .filter((fact) => fact !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

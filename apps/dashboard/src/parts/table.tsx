import type { ComponentChildren, JSX } from 'preact';
import { go, to, type Route } from '../route.js';
import { count } from './money.js';

export interface Column<Row> {
  readonly name: string;
  /** A number: on the right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Rows of sums. */
  readonly foot?: ComponentChildren;
  /** The names of the chosen rows, where rows can be chosen. */
  readonly chosen?: ReadonlySet<string>;
  readonly choose?: (keys: ReadonlySet<string>) => void;
}

/** The first column is the heading of its row, and has the link of the row. */
export function Table<Row>({ label, rows, columns, keyOf, foot, chosen, choose }: TableProps<Row>): JSX.Element {
  const keys = rows.map(keyOf);
  const isAll = chosen !== undefined && keys.length > 0 && keys.every((key) => chosen.has(key));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    choose?.(next);
  };
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {chosen && (
              <th scope="col" class="check">
                <input
                  type="checkbox"
                  aria-label="Choose all rows"
                  checked={isAll}
                  onChange={() => choose?.(new Set(isAll ? [] : keys))}
                />
              </th>
            )}
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'n' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row>
              {chosen && (
                <td class="check">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${keyOf(row)}`}
                    checked={chosen.has(keyOf(row))}
                    onChange={() => toggle(keyOf(row))}
                  />
                </td>
              )}
              {columns.map(({ name, isNumber, cell }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={isNumber ? 'n' : ''} data-name={name}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

export const PAGE_SIZE = 50;

/** The links of the pages of a list. @param noun of one row. */
export function Pages({ route, total, noun }: { route: Route; total: number; noun: string }): JSX.Element {
  const page = Number(route.query.page ?? 1);
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const at = (n: number) => to(route.path, { ...route.query, page: n > 1 ? String(n) : undefined });
  const first = Math.min(total, (page - 1) * PAGE_SIZE + 1);
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {total <= PAGE_SIZE
          ? count(total, noun)
          : `${first.toLocaleString()}–${Math.min(total, page * PAGE_SIZE).toLocaleString()} of ${count(total, noun)}`}
      </span>
      {page > 1 && (
        <a class="button" href={at(page - 1)} rel="prev">
          Previous
        </a>
      )}
      {page < last && (
        <a class="button" href={at(page + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}

interface FiltersProps {
  readonly route: Route;
  /** What the search finds, for its placeholder. */
  readonly search?: string;
  readonly children?: ComponentChildren;
  /** Values that follow from a change of the others. */
  readonly also?: (values: Readonly<Record<string, string>>) => Record<string, string | undefined>;
}

/** A form whose values are in the address: a choice is taken at once, a text with Enter. Another filter begins at page 1. */
export function Filters({ route, search, children, also }: FiltersProps): JSX.Element {
  const apply = (form: HTMLFormElement) => {
    const values = Object.fromEntries(new FormData(form)) as Record<string, string>;
    go(to(route.path, { ...route.query, page: undefined, ...values, ...also?.(values) }));
  };
  return (
    <form
      class="filters"
      role="search"
      key={JSON.stringify(route.query)}
      onChange={(event) => apply(event.currentTarget)}
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {search && (
        <input
          id="search"
          type="search"
          name="search"
          aria-label="Search"
          placeholder={search}
          defaultValue={route.query.search ?? ''}
        />
      )}
      {children}
    </form>
  );
}

interface ChoiceProps {
  readonly route: Route;
  readonly name: string;
  readonly label: string;
  readonly values: readonly (readonly [value: string, word: string])[];
}

export function Choice({ route, name, label, values }: ChoiceProps): JSX.Element {
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}: any</option>
      {values.map(([value, word]) => (
        <option key={value} value={value} selected={route.query[name] === value}>
          {word}
        </option>
      ))}
    </select>
  );
}

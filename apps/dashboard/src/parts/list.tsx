import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { to, useRoute } from '../route.js';
import { Waiting } from './page.js';
import { Pages, Table, type TableProps } from './table.js';

interface Listed<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total: number };
}

interface ListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly query: UseQueryResult<Listed<Row>>;
  /** Those of the answer that are shown, where not all are. */
  readonly rows?: readonly Row[];
  readonly empty: string;
  /** Of a page that is the list, with filters and pages in its address: the address without a filter. */
  readonly all?: Readonly<Record<string, string>>;
  /** Beside the links of the pages. */
  readonly children?: ComponentChildren;
}

/** What is on its way, that nothing is there, or the table. */
export function List<Row>({ query, rows, empty, all, children, ...table }: ListProps<Row>): JSX.Element {
  const route = useRoute();
  const shown = rows ?? query.data?.data ?? [];
  const total = query.data?.pagination.total ?? 0;
  const noun = table.label.toLowerCase();
  const isFiltered = all !== undefined && to(route.path, all) !== to(route.path, route.query);
  return (
    <>
      <Waiting query={query} rows={all ? 12 : 3} />
      {query.data && shown.length === 0 && (
        <p class="empty">
          {empty} {isFiltered && <a href={to(route.path, all)}>Show all {noun}</a>}
        </p>
      )}
      {shown.length > 0 && (
        <div data-stale={query.isPlaceholderData}>
          <Table rows={shown} {...table} />
        </div>
      )}
      {all && total > 0 && (
        <div class="bar">
          {children}
          <Pages route={route} total={total} noun={noun} />
        </div>
      )}
    </>
  );
}

interface Line {
  readonly key: string | number;
  readonly name: ComponentChildren;
  /** Below the name, smaller. */
  readonly detail?: ComponentChildren;
  /** On the right. */
  readonly end?: ComponentChildren;
}

/** A short list inside a card or a dialog. */
export function Rows({ rows }: { rows: readonly Line[] }): JSX.Element {
  return (
    <ul class="rows tight">
      {rows.map(({ key, name, detail, end }) => (
        <li key={key}>
          <span class="grow">
            {name}
            {detail && <small>{detail}</small>}
          </span>
          {end}
        </li>
      ))}
    </ul>
  );
}

interface NamedProps {
  readonly name: ComponentChildren;
  readonly href?: string;
  /** Below the name; the parts that are empty are left out. */
  readonly small?: readonly unknown[];
}

/** A name, and what is below it in a cell of a table. */
export function Named({ name, href, small = [] }: NamedProps): JSX.Element {
  const text = small.filter(Boolean).join(' · ');
  return (
    <span class="line">
      {href ? (
        <a class="name" href={href}>
          {name}
        </a>
      ) : (
        name
      )}
      {text && <small>{text}</small>}
    </span>
  );
}

type Fact = readonly [name: string, value: string];

/** Names and values, such as metadata. */
export function Facts({ facts }: { facts: readonly (Fact | false)[] }): JSX.Element {
  return (
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
}

import type { UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { to, type Route } from '../route.js';
import { Waiting } from './page.js';
import { Pages, Table, type Column } from './table.js';

interface Listed<Row> {
  readonly data: readonly Row[];
  readonly pagination: { readonly total: number };
}

interface ListProps<Row> {
  readonly label: string;
  readonly query: UseQueryResult<Listed<Row>>;
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  /** Of a page that is the list, which has filters and pages in its address. */
  readonly route?: Route;
  /** Of one row, where there are pages. */
  readonly noun?: string;
  readonly keyOf: (row: Row) => string;
}

/** What is on its way, that nothing is there, or the table. */
export function List<Row>({ label, query, columns, empty, route, noun = '', keyOf }: ListProps<Row>): JSX.Element {
  const rows = query.data?.data ?? [];
  const isFiltered = route !== undefined && Object.keys(route.query).length > 0;
  return (
    <>
      <Waiting query={query} rows={route ? 12 : 3} />
      {query.data && rows.length === 0 && (
        <p class={route ? 'empty' : 'soft'}>
          {empty} {isFiltered && <a href={to(route.path)}>Show all</a>}
        </p>
      )}
      {rows.length > 0 && (
        <div data-stale={query.isPlaceholderData}>
          <Table label={label} rows={rows} columns={columns} keyOf={keyOf} />
        </div>
      )}
      {rows.length > 0 && route && (
        <div class="bar">
          <Pages route={route} total={query.data?.pagination.total ?? 0} noun={noun} />
        </div>
      )}
    </>
  );
}

/** The way back to a list. */
export function Back({ path, name }: { path: string; name: string }): JSX.Element {
  return (
    <a class="back" href={to(path)}>
      {name}
    </a>
  );
}

/** Names and values, such as metadata. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }): JSX.Element {
  return (
    <dl class="facts-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

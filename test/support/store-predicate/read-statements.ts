import { parseSync } from 'libpg-query';
import { checkStatement } from './check-statement.js';
import { EXCEPTIONS } from './exceptions.js';
import { Scope, type StoreColumns } from './scope.js';

/** Tables that hold rows of stores, and the columns that name the store. */
export function storeColumns(tables: readonly string[]): StoreColumns {
  // A subdomain names one store, like its id.
  return new Map<string, readonly string[]>([
    ...tables.map((table): [string, readonly string[]] => [table, ['store_id']]),
    ['stores', ['id', 'subdomain']],
  ]);
}

/**
 * What SQL touches without saying whose it is: names of tables; empty when there is nothing, or when it is one of the
 * exceptions. `loadModule()` of the parser comes first.
 */
export function faultsOf(sql: string, tables: StoreColumns): string[] {
  const found = (parseSync(sql).stmts ?? []).flatMap(({ stmt }) =>
    stmt ? checkStatement(stmt, new Scope(null, tables)) : [],
  );
  const text = sql.trim().replace(/\s+/g, ' ');
  const exceptions = EXCEPTIONS.filter(({ statement }) => statement.test(text));
  const isAllowed = (table: string) => exceptions.some(({ tables: own }) => own === 'all' || own.includes(table));
  return [...new Set(found)].filter((table) => !isAllowed(table));
}

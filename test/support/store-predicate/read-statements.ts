import { parseSync } from 'libpg-query';
import { checkStatement } from './check-statement.js';
import { EXCEPTIONS } from './exceptions.js';
import { Scope, type StoreColumns } from './scope.js';

export function storeColumns(tables: readonly string[]): StoreColumns {
  // A subdomain identifies one store, like its id.
  return new Map<string, readonly string[]>([
    ...tables.map((table): [string, readonly string[]] => [table, ['store_id']]),
    ['stores', ['id', 'subdomain']],
  ]);
}

/** Statements that TypeORM sends when it connects. */
const OF_LIBRARIES = /^SELECT version\(\)|^SELECT \* FROM current_schema\(\)/;

export function nameOf(sql: string): string | null {
  return /^\s*\/\* ([a-z_.]+) \*\//.exec(sql)?.[1] ?? null;
}

export function lacksName(sql: string): boolean {
  const kinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'CopyStmt', 'DeclareCursorStmt'];
  const statements = (parseSync(sql).stmts ?? []).map(({ stmt }) => stmt ?? {});
  const touchesRows = statements.some((statement) => kinds.some((kind) => kind in statement));
  return touchesRows && nameOf(sql) === null && !OF_LIBRARIES.test(sql.trim());
}

/** Call `loadModule()` of the parser first. */
export function faultsOf(sql: string, tables: StoreColumns): string[] {
  const found = (parseSync(sql).stmts ?? []).flatMap(({ stmt }) =>
    stmt ? checkStatement(stmt, new Scope(null, tables)) : [],
  );
  const name = nameOf(sql);
  const exceptions = EXCEPTIONS.filter(({ statements }) => name !== null && statements.includes(name));
  const isAllowed = (table: string) => exceptions.some(({ tables: own }) => own === 'all' || own.includes(table));
  return [...new Set(found)].filter((table) => !isAllowed(table));
}

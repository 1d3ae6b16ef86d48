import { parsePlPgSQLSync, parseSync, type CreateFunctionStmt, type Node } from 'libpg-query';
import { checkStatement } from './check-statement.js';
import { Scope, type StoreColumns } from './scope.js';

/** Names of the changed rows in a trigger. A condition on their store limits a statement to it. */
const TOLD = ['added', 'removed', 'changed', 'new', 'old'];

/** Call `loadModule()` of the parser first. @param definition from `pg_get_functiondef`. */
export function faultsOfFunction(definition: string, tables: StoreColumns): string[] {
  const create = parseSync(definition).stmts?.[0]?.stmt;
  if (!create || !('CreateFunctionStmt' in create)) throw new Error(`No function: ${definition}`);
  const { sql_body: body } = create.CreateFunctionStmt;
  const given = argumentsOf(create.CreateFunctionStmt);
  if (body) return faultsOfBody(body, scopeOf(tables, given));

  const parsed: unknown = parsePlPgSQLSync(definition);
  const names = valuesOf(parsed, 'refname');
  const scope = scopeOf(tables, [...names, ...given]);
  const queries = valuesOf(parsed, 'query');
  if (queries.length === 0) throw new Error(`Nothing to check in ${definition}`);
  return queries.flatMap((query) => statementsIn(query).flatMap((statement) => [...checkStatement(statement, scope)]));
}

function scopeOf(tables: StoreColumns, values: readonly string[]): Scope {
  const scope = new Scope(null, tables, new Set(values));
  for (const alias of TOLD) {
    scope.name(alias, { storeColumns: ['store_id'], bound: true });
    if (alias.length === 3) {
      scope.sources.push({ alias, table: null, storeColumns: ['store_id'], body: null, bound: true });
    }
  }
  return scope;
}

/** PostgreSQL may qualify the names of arguments with the name of the function. */
function argumentsOf({ funcname = [], parameters = [] }: CreateFunctionStmt): string[] {
  const last = funcname.at(-1);
  const own = last && 'String' in last ? last.String.sval : '';
  return parameters.flatMap((parameter) => {
    const name = 'FunctionParameter' in parameter ? parameter.FunctionParameter.name : undefined;
    return name === undefined ? [] : [name, `${own}.${name}`];
  });
}

function faultsOfBody(body: Node, scope: Scope): string[] {
  if (!('ReturnStmt' in body)) throw new Error('Only functions that RETURN an expression can be checked');
  const { returnval } = body.ReturnStmt;
  return [...checkStatement({ SelectStmt: { targetList: [{ ResTarget: { val: returnval } }] } }, scope)];
}

function statementsIn(query: string): Node[] {
  const isStatement = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i.test(query);
  const assigned = query.replace(/^[\w.]+\s*:=\s*/, '');
  return (parseSync(isStatement ? query : `SELECT ${assigned}`).stmts ?? []).flatMap(({ stmt }) => stmt ?? []);
}

function valuesOf(part: unknown, key: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    name === key && typeof value === 'string' ? [value] : valuesOf(value, key),
  );
}

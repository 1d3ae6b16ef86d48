import type { JoinExpr, Node, RangeFunction, RangeVar, SubLink } from 'libpg-query';
import { storeColumnsOf, type Scope, type Source } from './scope.js';

/** A condition that every row of the result meets, and the sources that it may limit to a store. */
export interface Equality {
  readonly condition: Node;
  readonly binds: (source: Source) => boolean;
}

interface Subqueries {
  isSound(body: Node): boolean;
  /** Whether the column at this position is the store. */
  storesOf(body: Node, place: number): boolean;
}

/** Adds the sources of a FROM item to the scope. @param equalities receives the conditions of its joins. */
export function addSources(item: Node, scope: Scope, equalities: Equality[]): void {
  if ('JoinExpr' in item) return addJoin(item.JoinExpr, scope, equalities);
  if ('RangeVar' in item) scope.sources.push(tableSource(item.RangeVar, scope));
  else if ('RangeFunction' in item) scope.sources.push(functionSource(item.RangeFunction));
  else if ('RangeSubselect' in item) {
    const { alias, subquery } = item.RangeSubselect;
    const body = subquery ?? null;
    scope.sources.push(rows(alias?.aliasname ?? '', storeColumnsOf(subquery), body, false));
  }
}

function tableSource({ relname = '', schemaname, alias }: RangeVar, scope: Scope): Source {
  const name = alias?.aliasname ?? relname;
  const named = schemaname === undefined ? scope.rowsNamed(relname) : undefined;
  if (named) return rows(name, named.storeColumns, null, named.bound);
  const storeColumns = schemaname === undefined || schemaname === 'public' ? scope.tables.get(relname) : undefined;
  if (!storeColumns) return rows(name, [], null, false);
  return { alias: name, table: relname, storeColumns, body: null, bound: false };
}

// The service passes stores and keys that it has collected as arrays: `unnest($1, $2) AS used (store_id, id)`.
function functionSource({ functions = [], alias }: RangeFunction): Source {
  const text = JSON.stringify(functions);
  const isOfParameters = text.includes('"unnest"') && text.includes('ParamRef') && !text.includes('ColumnRef');
  const columns = alias?.colnames?.map((column) => ('String' in column ? column.String.sval : undefined)) ?? [];
  const storeColumns = isOfParameters && columns.includes('store_id') ? ['store_id'] : [];
  return rows(alias?.aliasname ?? '', storeColumns, null, storeColumns.length > 0);
}

function rows(alias: string, storeColumns: readonly string[], body: Node | null, bound: boolean): Source {
  return { alias, table: null, storeColumns, body, bound };
}

function addJoin({ jointype, larg, rarg, quals, usingClause }: JoinExpr, scope: Scope, equalities: Equality[]): void {
  const added = [larg, rarg].map((side) => {
    const before = scope.sources.length;
    if (side) addSources(side, scope, equalities);
    return scope.sources.slice(before);
  });
  const [left = [], right = []] = added;
  // The condition of an outer join does not limit the rows of the preserved side.
  const kept = { JOIN_LEFT: left, JOIN_RIGHT: right, JOIN_FULL: [...left, ...right] }[String(jointype)] ?? [];
  const binds = (source: Source) => !kept.includes(source);
  equalities.push(...conjunctsOf(quals).map((condition) => ({ condition, binds })));
  const isByStore = usingClause?.some((column) => 'String' in column && column.String.sval === 'store_id');
  if (!isByStore) return;
  for (const a of left) for (const b of right) equalities.push({ condition: sameStore(a, b), binds });
}

function sameStore(a: Source, b: Source): Node {
  const [lexpr, rexpr] = [a, b].map(({ alias }): Node => ({
    ColumnRef: { fields: [{ String: { sval: alias } }, { String: { sval: 'store_id' } }] },
  }));
  return { A_Expr: { kind: 'AEXPR_OP', name: [{ String: { sval: '=' } }], lexpr, rexpr } };
}

export function conjunctsOf(condition: Node | undefined): Node[] {
  if (!condition) return [];
  if ('BoolExpr' in condition && condition.BoolExpr.boolop === 'AND_EXPR') {
    return (condition.BoolExpr.args ?? []).flatMap(conjunctsOf);
  }
  return [condition];
}

/** Marks the sources that the conditions limit to one store, until no further source follows. */
export function bindSources(scope: Scope, equalities: readonly Equality[], subqueries: Subqueries): void {
  for (let changed = true; changed;) {
    const found = equalities.flatMap(({ condition, binds }) =>
      boundBy(condition, scope, subqueries).filter((source) => scope.sources.includes(source) && binds(source)),
    );
    const sound = scope.sources.filter(({ body, bound }) => body && !bound && subqueries.isSound(body));
    const newlyBound = [...found, ...sound].filter(({ bound }) => !bound);
    for (const source of newlyBound) source.bound = true;
    changed = newlyBound.length > 0;
  }
}

function boundBy(condition: Node, scope: Scope, subqueries: Subqueries): readonly Source[] {
  if ('SubLink' in condition) return boundByList(condition.SubLink, scope, subqueries);
  if (!('A_Expr' in condition)) return [];
  const { kind, name, lexpr, rexpr } = condition.A_Expr;
  const [operator] = name ?? [];
  if (kind !== 'AEXPR_OP' || !operator || !('String' in operator) || operator.String.sval !== '=') return [];
  return [
    ...(scope.isBound(rexpr) ? scope.storesNamedBy(lexpr) : []),
    ...(scope.isBound(lexpr) ? scope.storesNamedBy(rexpr) : []),
  ];
}

/** Matches `(store_id, id) IN (SELECT store_id, …)`. */
function boundByList({ subLinkType, operName, testexpr, subselect }: SubLink, scope: Scope, subqueries: Subqueries) {
  if (subLinkType !== 'ANY_SUBLINK' || operName || !testexpr || !subselect) return [];
  const columns = 'RowExpr' in testexpr ? (testexpr.RowExpr.args ?? []) : [testexpr];
  return columns.flatMap((column, place) => {
    const named = scope.storesNamedBy(column);
    return named.length > 0 && subqueries.storesOf(subselect, place) ? named : [];
  });
}

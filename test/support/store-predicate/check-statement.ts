import type { DeleteStmt, InsertStmt, Node, SelectStmt, UpdateStmt, WithClause } from 'libpg-query';
import { addSources, bindSources, conjunctsOf, type Equality } from './bindings.js';
import { storeColumnsOf, type Scope } from './scope.js';

export type Faults = readonly string[];

/**
 * Expects that every row, including an inserted one, has as `store_id` a parameter, a constant or the store of a
 * limited source.
 */
export function checkStatement(statement: Node, outer: Scope): Faults {
  if ('SelectStmt' in statement) return branchesOf(statement.SelectStmt, outer).flatMap(({ faults }) => faults);
  if ('InsertStmt' in statement) return checkInsert(statement.InsertStmt, outer);
  if ('UpdateStmt' in statement) return checkUpdate(statement.UpdateStmt, outer);
  if ('DeleteStmt' in statement) return checkDelete(statement.DeleteStmt, outer);
  if ('DeclareCursorStmt' in statement) return checkStatement(statement.DeclareCursorStmt.query as Node, outer);
  const unreadable = ['MergeStmt', 'CopyStmt', 'DoStmt', 'ExplainStmt', 'PrepareStmt'];
  return unreadable.filter((kind) => kind in statement).map((kind) => `${kind} cannot be checked`);
}

interface Branch {
  readonly faults: Faults;
  isStore(place: number): boolean;
}

function branchesOf(select: SelectStmt, outer: Scope): Branch[] {
  const scope = outer.inner();
  const named = nameRows(select.withClause, scope);
  const { larg, rarg } = select;
  if (larg && rarg) {
    const branches = [larg, rarg].flatMap((branch) => branchesOf(branch, scope));
    return [...branches, { faults: named, isStore: () => true }];
  }
  const equalities: Equality[] = [];
  for (const item of select.fromClause ?? []) addSources(item, scope, equalities);
  const faults = [...named, ...bind(scope, equalities, select.whereClause), ...partsOf(select, scope)];
  const isStore = (place: number): boolean => {
    const rows = select.valuesLists;
    if (rows) return rows.every((row) => 'List' in row && scope.isBound(row.List.items?.[place]));
    const targets = (select.targetList ?? []).slice(0, place + 1);
    const values = targets.map((target) => ('ResTarget' in target ? target.ResTarget.val : undefined));
    // A `*` before the column would change its position.
    return !values.some((value) => JSON.stringify(value)?.includes('A_Star')) && scope.isBound(values[place]);
  };
  return [{ faults, isStore }];
}

function checkInsert(insert: InsertStmt, outer: Scope): Faults {
  const scope = outer.inner();
  const faults = [...nameRows(insert.withClause, scope)];
  const table = insert.relation?.relname ?? '';
  const storeColumns = insert.relation?.schemaname ? undefined : scope.tables.get(table);
  const columns = (insert.cols ?? []).map((column) => ('ResTarget' in column ? column.ResTarget.name : undefined));
  const place = columns.findIndex((column) => column !== undefined && storeColumns?.includes(column));
  const rows =
    insert.selectStmt && 'SelectStmt' in insert.selectStmt ? branchesOf(insert.selectStmt.SelectStmt, scope) : [];
  faults.push(...rows.flatMap((branch) => branch.faults));
  if (storeColumns && (place < 0 || rows.length === 0 || !rows.every((branch) => branch.isStore(place)))) {
    faults.push(table);
  }
  return [...faults, ...subqueriesOf([insert.returningClause, insert.onConflictClause], scope)];
}

function checkUpdate(update: UpdateStmt, outer: Scope): Faults {
  const { relation, fromClause = [], withClause, whereClause, targetList = [], ...rest } = update;
  const storeColumns = scopeColumns(outer, relation?.relname);
  const moves = targetList.some(
    (target) => 'ResTarget' in target && target.ResTarget.name === 'store_id' && storeColumns !== undefined,
  );
  const written = checkWrite({ relation, from: fromClause, withClause, whereClause }, [targetList, rest], outer);
  return moves ? [...written, `${relation?.relname ?? ''} (moved to another store)`] : written;
}

function checkDelete(remove: DeleteStmt, outer: Scope): Faults {
  const { relation, usingClause = [], withClause, whereClause, ...rest } = remove;
  return checkWrite({ relation, from: usingClause, withClause, whereClause }, [rest], outer);
}

interface Written {
  readonly relation: UpdateStmt['relation'];
  readonly from: readonly Node[];
  readonly withClause: WithClause | undefined;
  readonly whereClause: Node | undefined;
}

function checkWrite(
  { relation, from, withClause, whereClause }: Written,
  rest: readonly unknown[],
  outer: Scope,
): Faults {
  const scope = outer.inner();
  const faults = nameRows(withClause, scope);
  const equalities: Equality[] = [];
  if (relation) addSources({ RangeVar: relation }, scope, equalities);
  for (const item of from) addSources(item, scope, equalities);
  return [...faults, ...bind(scope, equalities, whereClause), ...subqueriesOf([from, rest, whereClause], scope)];
}

function bind(scope: Scope, equalities: Equality[], where: Node | undefined): Faults {
  equalities.push(...conjunctsOf(where).map((condition) => ({ condition, binds: () => true })));
  const isSound = (body: Node) => checkStatement(body, scope).length === 0;
  const storesOf = (body: Node, place: number) =>
    'SelectStmt' in body && branchesOf(body.SelectStmt, scope).every((branch) => branch.isStore(place));
  bindSources(scope, equalities, { isSound, storesOf });
  return scope.sources.flatMap(({ bound, table, body }) => {
    if (body) return bound ? [] : [...checkStatement(body, scope)];
    return bound || table === null ? [] : [table];
  });
}

function nameRows(clause: WithClause | undefined, scope: Scope): Faults {
  const faults: string[] = [];
  for (const cte of clause?.ctes ?? []) {
    if (!('CommonTableExpr' in cte)) continue;
    const { ctename = '', ctequery } = cte.CommonTableExpr;
    // The rows of a recursion belong to one store if the rows of its start and of its step do.
    const storeColumns = storeColumnsOf(ctequery);
    if (clause?.recursive) scope.name(ctename, { storeColumns, bound: true });
    const found = ctequery ? checkStatement(ctequery, scope) : [];
    scope.name(ctename, { storeColumns, bound: found.length === 0 });
    faults.push(...found);
  }
  return faults;
}

function partsOf(select: SelectStmt, scope: Scope): Faults {
  const { withClause: _, larg: __, rarg: ___, ...parts } = select;
  return subqueriesOf(parts, scope);
}

/** Faults of the subqueries in expressions. Subqueries in FROM are checked as sources. */
function subqueriesOf(part: unknown, scope: Scope): Faults {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([kind, value]: [string, unknown]) => {
    if (kind === 'RangeSubselect') return [];
    const select = kind === 'SubLink' ? (value as { subselect?: Node }).subselect : undefined;
    if (!select) return subqueriesOf(value, scope);
    return [...checkStatement(select, scope), ...subqueriesOf((value as { testexpr?: Node }).testexpr, scope)];
  });
}

function scopeColumns(scope: Scope, table: string | undefined): readonly string[] | undefined {
  return scope.tables.get(table ?? '');
}

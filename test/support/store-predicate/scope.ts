import type { ColumnRef, Node, ReturningClause, SelectStmt } from 'libpg-query';

/** Columns that name the store of a row, by table. */
export type StoreColumns = ReadonlyMap<string, readonly string[]>;

export interface Source {
  readonly alias: string;
  /** The table that must be limited to one store; `null` for a source that is not a table, such as a subquery. */
  readonly table: string | null;
  readonly storeColumns: readonly string[];
  /** The subquery. Its rows belong to one store if all rows that it reads do. */
  readonly body: Node | null;
  /** Whether its rows certainly belong to the store that a parameter names. */
  bound: boolean;
}

/** The rows of a WITH, or the changed rows of a trigger. */
interface NamedRows {
  readonly storeColumns: readonly string[];
  readonly bound: boolean;
}

export class Scope {
  readonly sources: Source[] = [];
  private readonly named = new Map<string, NamedRows>();

  /** @param variables names that stand for values of the caller, like parameters. A name may contain a dot. */
  constructor(
    readonly parent: Scope | null,
    readonly tables: StoreColumns,
    private readonly variables: ReadonlySet<string> = new Set(),
  ) {}

  inner(): Scope {
    return new Scope(this, this.tables);
  }

  name(name: string, rows: NamedRows): void {
    this.named.set(name, rows);
  }

  rowsNamed(name: string): NamedRows | undefined {
    return this.named.get(name) ?? this.parent?.rowsNamed(name);
  }

  /** Whether the value is a parameter, a constant, or the store column of a bound source. */
  isBound(value: Node | undefined): boolean {
    if (!value) return false;
    if ('ParamRef' in value || 'A_Const' in value) return true;
    if ('TypeCast' in value) return this.isBound(value.TypeCast.arg);
    if (!('ColumnRef' in value)) return false;
    const [name, qualifier] = namesOf(value.ColumnRef).reverse();
    if (this.isVariable(qualifier === undefined ? `${name}` : `${qualifier}.${name}`)) return true;
    return this.storesNamedBy(value).some(({ bound }) => bound);
  }

  /** The sources whose store the column names, from the nearest scope that has any. */
  storesNamedBy(value: Node | undefined): readonly Source[] {
    if (!value || !('ColumnRef' in value)) return [];
    const [name = '', qualifier] = namesOf(value.ColumnRef).reverse();
    const found = this.sources.filter(
      ({ alias, storeColumns }) => (qualifier ?? alias) === alias && storeColumns.includes(name),
    );
    return found.length > 0 ? found : (this.parent?.storesNamedBy(value) ?? []);
  }

  private isVariable(name: string): boolean {
    return this.variables.has(name) || (this.parent?.isVariable(name) ?? false);
  }
}

function namesOf({ fields = [] }: ColumnRef): string[] {
  return fields.map((field) => ('String' in field ? (field.String.sval ?? '') : '*'));
}

/** The columns of a subquery that name the store, judged by its text. `*` may include one. */
export function storeColumnsOf(body: Node | undefined): readonly string[] {
  return body && bringsStore(body) ? ['store_id'] : [];
}

function bringsStore(body: Node): boolean {
  if ('SelectStmt' in body) return selectsStore(body.SelectStmt);
  const [write]: { readonly returningClause?: ReturningClause }[] = Object.values(body);
  return isStoreAmong(write?.returningClause?.exprs);
}

function selectsStore({ larg, targetList }: SelectStmt): boolean {
  return larg ? selectsStore(larg) : isStoreAmong(targetList);
}

function isStoreAmong(targets: readonly Node[] = []): boolean {
  return targets.some((target) => {
    if (!('ResTarget' in target)) return false;
    const { name, val } = target.ResTarget;
    const last = val && 'ColumnRef' in val ? namesOf(val.ColumnRef).pop() : undefined;
    return (name ?? last) === 'store_id' || last === '*';
  });
}

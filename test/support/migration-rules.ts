import { parseSync, type AlterTableCmd, type Constraint, type Node } from 'libpg-query';
import type { Migration } from '@app/infrastructure';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** docs/migrations.md has the rules and their reasons. Call `loadModule()` of the parser first. */
export async function faultsOfMigration(Migration: Migration): Promise<string[]> {
  const { transaction = true, statements } = await statementsOf(new Migration());
  const parsed = statements.map((sql) => (parseSync(sql).stmts ?? []).flatMap(({ stmt }) => stmt ?? []));
  const nodes = parsed.flat();
  const file = { created: createdTables(nodes), altered: new Set<string>(), dropped: new Set<string>(), transaction };
  const faults = nodes.flatMap((node) => faultsOf(node, file));
  if (!transaction && parsed.some(({ length }) => length !== 1)) {
    faults.push('without a transaction, one query for each statement');
  }
  if (transaction && file.altered.size > 1) {
    faults.push(`locks ${[...file.altered].join(' and ')}: one existing table for each migration`);
  }
  return faults;
}

async function statementsOf(migration: MigrationInterface) {
  const statements: string[] = [];
  await migration.up({ query: (sql: string) => Promise.resolve(statements.push(sql)) } as unknown as QueryRunner);
  return { transaction: migration.transaction, statements };
}

interface File {
  /** Tables that the file creates. They are empty and not yet visible to other sessions. */
  readonly created: ReadonlySet<string>;
  readonly altered: Set<string>;
  readonly dropped: Set<string>;
  readonly transaction: boolean;
}

function createdTables(nodes: readonly Node[]): Set<string> {
  const names = nodes.map((node) => ('CreateStmt' in node ? node.CreateStmt.relation?.relname : undefined));
  return new Set(names.filter((name) => name !== undefined));
}

function faultsOf(node: Node, file: File): string[] {
  if ('IndexStmt' in node) return faultsOfIndex(node.IndexStmt, file);
  if ('DropStmt' in node) return faultsOfDrop(node.DropStmt, file);
  if ('AlterTableStmt' in node) {
    const { relation, cmds = [] } = node.AlterTableStmt;
    const table = relation?.relname ?? '';
    if (file.created.has(table)) return [];
    file.altered.add(table);
    return cmds.flatMap((cmd) => ('AlterTableCmd' in cmd ? faultsOfCommand(table, cmd.AlterTableCmd) : []));
  }
  if ('CreateTrigStmt' in node) {
    const table = node.CreateTrigStmt.relation?.relname ?? '';
    if (!file.created.has(table)) file.altered.add(table);
    return [];
  }
  if ('RenameStmt' in node) return ['a rename breaks the release before'];
  return FORBIDDEN.filter(([kind]) => kind in node).map(([, fault]) => fault);
}

const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['LockStmt', 'LOCK TABLE stops orders'],
  ['TruncateStmt', 'TRUNCATE locks the table until the commit'],
  ['VacuumStmt', 'VACUUM is maintenance, not a migration'],
  ['ClusterStmt', 'CLUSTER rewrites the table under a lock'],
  ['ReindexStmt', 'REINDEX is maintenance, not a migration'],
  ['InsertStmt', 'rows are written by the service, in batches'],
  ['UpdateStmt', 'rows are written by the service, in batches'],
  ['DeleteStmt', 'rows are written by the service, in batches'],
  ['DoStmt', 'a DO block hides what it locks'],
];

type Index = Extract<Node, { IndexStmt: unknown }>['IndexStmt'];

function faultsOfIndex({ relation, concurrent = false, idxname = '' }: Index, file: File): string[] {
  const table = relation?.relname ?? '';
  if (file.created.has(table)) return concurrent ? [`${idxname}: a new table needs no CONCURRENTLY`] : [];
  if (!concurrent) return [`${idxname}: CREATE INDEX CONCURRENTLY on an existing table`];
  if (file.transaction) return [`${idxname}: CONCURRENTLY needs "transaction = false"`];
  return file.dropped.has(idxname) ? [] : [`${idxname}: DROP INDEX CONCURRENTLY IF EXISTS first, for a second attempt`];
}

type Drop = Extract<Node, { DropStmt: unknown }>['DropStmt'];

function faultsOfDrop({ removeType, concurrent = false, objects = [] }: Drop, file: File): string[] {
  if (removeType !== 'OBJECT_INDEX') return [];
  if (!concurrent || file.transaction) return ['DROP INDEX CONCURRENTLY, with "transaction = false"'];
  for (const name of objects) file.dropped.add(lastName(name));
  return [];
}

function lastName(name: Node): string {
  const last = 'List' in name ? name.List.items?.at(-1) : name;
  return last && 'String' in last ? (last.String.sval ?? '') : '';
}

function faultsOfCommand(table: string, { subtype, def }: AlterTableCmd): string[] {
  if (subtype === 'AT_AlterColumnType') return [`${table}: a new type rewrites the table under a lock`];
  if (subtype === 'AT_SetNotNull') return [`${table}: SET NOT NULL reads the table under a lock: validate a CHECK`];
  if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def) return faultsOfConstraint(table, def.Constraint);
  if (subtype !== 'AT_AddColumn' || !def || !('ColumnDef' in def)) return [];
  return (def.ColumnDef.constraints ?? []).flatMap((constraint) =>
    'Constraint' in constraint && !isInstant(constraint.Constraint)
      ? [`${table}: a new column may have NOT NULL and a constant DEFAULT, nothing that reads or rewrites the table`]
      : [],
  );
}

function faultsOfConstraint(table: string, { contype, skip_validation = false, indexname }: Constraint): string[] {
  if (contype === 'CONSTR_CHECK' || contype === 'CONSTR_FOREIGN') {
    return skip_validation ? [] : [`${table}: NOT VALID, and VALIDATE CONSTRAINT in a later migration`];
  }
  return indexname ? [] : [`${table}: build the index CONCURRENTLY, then ADD CONSTRAINT … USING INDEX`];
}

function isInstant({ contype, raw_expr }: Constraint): boolean {
  if (contype === 'CONSTR_NOTNULL' || contype === 'CONSTR_NULL') return true;
  return contype === 'CONSTR_DEFAULT' && raw_expr !== undefined && isConstant(raw_expr);
}

function isConstant(value: Node): boolean {
  return 'TypeCast' in value ? value.TypeCast.arg !== undefined && isConstant(value.TypeCast.arg) : 'A_Const' in value;
}

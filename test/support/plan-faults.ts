import type pg from 'pg';

/** The number exceeds a page, and what any statement looks up by keys. */
const MANY = 1_000;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly Plan[];
}

export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** Finds steps of the generic plan that scan a table, or many of its rows, unless a LIMIT ends the scan. */
export async function planFaults(client: pg.ClientBase, { name, text }: NamedStatement): Promise<string[]> {
  await client.query(`PREPARE checked AS ${text}`);
  const { rows } = await client.query<{ types: number }>(
    `SELECT cardinality(parameter_types) AS types FROM pg_prepared_statements WHERE name = 'checked'`,
  );
  const values = Array<string>(rows[0]?.types ?? 0).fill('NULL');
  const explained = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE checked ${values.length > 0 ? `(${values.join()})` : ''}`,
  );
  await client.query('DEALLOCATE checked');
  const [row] = explained.rows;
  if (!row) throw new Error(`${name} has no plan`);
  return wideScans(row['QUERY PLAN'][0].Plan, false).map((fault) => `${name}: ${fault}`);
}

/** @param isLimited whether a LIMIT above ends the scan after a few rows: no step in between needs all of them. */
function wideScans(plan: Plan, isLimited: boolean): string[] {
  const { 'Node Type': node, 'Plan Rows': rows, Plans: parts = [] } = plan;
  const table = plan['Relation Name'] ?? plan['Index Name'];
  const isWide = table !== undefined && node !== 'ModifyTable' && rows > MANY && !isLimited;
  const limits =
    node === 'Limit' || (isLimited && !/Sort|Hash|Aggregate|Materialize|WindowAgg|SetOp|Bitmap/.test(node));
  return [
    ...(isWide ? [`${node} of ${table}, ${rows} rows`] : []),
    ...parts.flatMap((part) => wideScans(part, limits)),
  ];
}

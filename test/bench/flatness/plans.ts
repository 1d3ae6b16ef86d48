import pg from 'pg';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly Plans?: readonly Plan[];
}

/** Tables that grow with a store. */
const LARGE = new Set([
  'orders',
  'order_lines',
  'order_stages',
  'products',
  'product_categories',
  'stock',
  'customers',
  'sellable_units',
  'changes',
]);
/** A page has at most 100 rows; beyond a thousand rows, the query locates a page by its day. */
const SORTED_AT_MOST = 1_100;

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/**
 * The forbidden steps in a request's plans: a scan of a whole large table, or a sort of more than a page.
 *
 * @param ask sends the request to a service in this process, so that its statements can be recorded.
 */
export async function planFaults(client: pg.Client, ask: () => Promise<void>): Promise<string[]> {
  const faults: string[] = [];
  for (const statement of await statementsOf(ask)) {
    for (const fault of faultsOf(await planOf(client, statement))) faults.push(fault);
  }
  return faults;
}

async function statementsOf(ask: () => Promise<void>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { prototype } = pg.Client as unknown as { prototype: { query: (...args: unknown[]) => unknown } };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [statement] = args as [string | Statement];
    if (
      typeof statement !== 'string' &&
      /FROM (?:orders|products|customers|sellable_units|stock|changes)\b/.test(statement.text)
    )
      statements.push(statement);
    return query.apply(this, args);
  };
  try {
    await ask();
  } finally {
    prototype.query = query;
  }
  if (statements.length === 0) throw new Error('The request sent no statement');
  return statements;
}

/** Plans as the server does: a prepared statement has one plan for all values. */
async function planOf(client: pg.Client, { name, text, values = [] }: Statement): Promise<Plan> {
  const literals = values.map((value) => literalOf(client, value));
  if (name !== undefined) await client.query(`PREPARE checked AS ${text}`);
  const sql =
    name === undefined
      ? text.replace(/\$(\d+)/g, (_, n) => literals[Number(n) - 1] ?? '')
      : `EXECUTE checked(${literals.join(', ')})`;
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
  );
  if (name !== undefined) await client.query('DEALLOCATE checked');
  const [row] = rows;
  if (!row) throw new Error('No plan');
  return row['QUERY PLAN'][0].Plan;
}

function literalOf(client: pg.Client, value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return client.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : (value as string));
}

function faultsOf(plan: Plan): string[] {
  const { Plans: parts = [], 'Node Type': node, 'Relation Name': table = '', 'Actual Rows': rows = 0 } = plan;
  const faults: string[] = [];
  if (node === 'Seq Scan' && LARGE.has(table)) faults.push(`reads all of ${table}`);
  if (node === 'Sort' && rows > SORTED_AT_MOST) faults.push(`sorts ${rows} rows`);
  return [...faults, ...parts.flatMap(faultsOf)];
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'CTE Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface RunPlan {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

export function rowsReadBy({ 'QUERY PLAN': [{ Plan }] }: RunPlan): Map<string, number> {
  const read = new Map<string, number>();
  const visit = (node: PlanNode) => {
    const cte = node['CTE Name'];
    const table = node['Relation Name'] ?? (cte && `CTE ${cte}`);
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    if (table) read.set(table, (read.get(table) ?? 0) + (node['Actual Rows'] + removed) * node['Actual Loops']);
    node.Plans?.forEach(visit);
  };
  visit(Plan);
  return read;
}

/** Counts the pages of a plan that was explained with BUFFERS. */
export function pagesReadBy({ 'QUERY PLAN': [{ Plan }] }: RunPlan): number {
  return (Plan['Shared Hit Blocks'] ?? NaN) + (Plan['Shared Read Blocks'] ?? NaN);
}

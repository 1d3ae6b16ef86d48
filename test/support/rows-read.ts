interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface RunPlan {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

export function rowsReadBy({ 'QUERY PLAN': [{ Plan }] }: RunPlan): Map<string, number> {
  const read = new Map<string, number>();
  const visit = (node: PlanNode) => {
    const table = node['Relation Name'];
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    if (table) read.set(table, (read.get(table) ?? 0) + (node['Actual Rows'] + removed) * node['Actual Loops']);
    node.Plans?.forEach(visit);
  };
  visit(Plan);
  return read;
}

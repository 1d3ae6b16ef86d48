/**
 * SQL for whether an expression is one of the values of an array parameter. The planner does not see values that come from
 * a subquery. If it saw that they are few, it would expect less work with them than without, and plan the statement each
 * time, which takes longer than to run it.
 *
 * @param array a parameter with its type, such as `$2::int[]`.
 */
export function anyOf(expression: string, array: string): string {
  return `${expression} = ANY (ARRAY(SELECT unnest(${array})))`;
}

/**
 * Collects the conditions of a WHERE clause. It binds every value as a parameter.
 *
 * @example
 * const where = new Conditions('store_id = ?', storeId);
 * if (filter.status) where.and('status = upper(?)', filter.status);
 * `SELECT … WHERE ${where.sql} LIMIT ${where.bind(limit)}`
 */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  /** @param condition has one `?` for each value; its text is code, never input. */
  constructor(condition: string, ...values: unknown[]) {
    this.and(condition, ...values);
  }

  and(condition: string, ...values: unknown[]): this {
    let next = 0;
    this.parts.push(condition.replace(/\?/g, () => this.bind(values[next++])));
    return this;
  }

  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  copy(): Conditions {
    const copy = new Conditions('');
    copy.parts.splice(0, 1, ...this.parts);
    copy.values.push(...this.values);
    return copy;
  }

  get sql(): string {
    return this.parts.join(' AND ');
  }
}

/**
 * SQL for whether an expression is one of the values of an array parameter. Values that come from a subquery are hidden
 * from the planner. If it saw that they are few, it would expect less work with them than without, and plan the
 * statement each time, which takes longer than to run it.
 * @param array a parameter with its type, such as `$2::int[]`.
 */
export function anyOf(expression: string, array: string): string {
  return `${expression} = ANY (ARRAY(SELECT unnest(${array})))`;
}

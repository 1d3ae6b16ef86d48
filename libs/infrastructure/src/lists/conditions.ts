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

  /** @param condition with one `?` for each value; the text is code, never input. */
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

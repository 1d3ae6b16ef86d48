import type { EntityManager } from 'typeorm';
import { BundleLineError, quoted } from '../check/faults.js';
import type { Row, TableWriter } from './table-writer.js';

interface Target {
  readonly id: number;
  /** The line that creates the target, 0 for a stored row. */
  readonly line: number;
}

/**
 * The targets that the lines of one batch refer to. A target exists from its own line on, even within a batch: where a
 * batch ends must not decide whether a bundle is in order.
 */
export class KnownTargets {
  private readonly targets = new Map<string, Target>();

  constructor(private readonly manager: EntityManager) {}

  /** Looks up the targets that are not known yet. */
  async load(table: TableWriter<number>, storeId: number, keys: readonly Row[]): Promise<void> {
    const missing = new Map<string, Row>();
    for (const key of keys) {
      if (!this.targets.has(place(table, storeId, key))) missing.set(table.keyOf(key), key);
    }
    for (const [key, id] of await table.find(this.manager, storeId, [...missing.values()])) {
      this.targets.set(`${table.spec.table} ${storeId} ${key}`, { id, line: 0 });
    }
  }

  created(table: TableWriter<number>, storeId: number, key: Row, target: Target): void {
    this.targets.set(place(table, storeId, key), target);
  }

  /**
   * Returns the id of a loaded target.
   *
   * @param from `what` is the target's noun, such as `category`; `name` is the reference as the line writes it.
   * @throws BundleLineError when the target does not exist or a later line creates it.
   */
  get(
    table: TableWriter<number>,
    storeId: number,
    key: Row,
    from: { line: number; what: string; name: string },
  ): number {
    const target = this.targets.get(place(table, storeId, key));
    if (!target || target.line > from.line) {
      throw new BundleLineError(from.line, `${from.what} ${quoted(from.name)} is not known`);
    }
    return target.id;
  }
}

function place(table: TableWriter<number>, storeId: number, key: Row): string {
  return `${table.spec.table} ${storeId} ${table.keyOf(key)}`;
}

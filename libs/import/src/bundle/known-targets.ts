import type { EntityManager } from 'typeorm';
import { BundleLineError, quoted } from './faults.js';
import type { Row, TableWriter } from './table-writer.js';

interface Target {
  readonly id: number;
  /** The line that made it, 0 for what was there before. */
  readonly line: number;
}

/**
 * What the lines of one batch refer to. A target counts from its own line on, also within a batch: whether a bundle is
 * in order must not depend on where its batches end.
 */
export class KnownTargets {
  private readonly targets = new Map<string, Target>();

  constructor(private readonly manager: EntityManager) {}

  /** Looks up what is not known yet. */
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
   * The id of a target that was loaded.
   *
   * @param what how to call it, such as `category`, and `name`, the reference as the line has it.
   * @throws BundleLineError when there is none, or only on a later line.
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

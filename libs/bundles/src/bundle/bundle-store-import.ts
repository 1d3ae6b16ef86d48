import {
  importKindOf,
  Semaphore,
  StoreImport,
  TURN_MS,
  type ImportedLine,
  type ImportLine,
  type ImportRequest,
} from '@app/application';
import { ImportRefused } from '@app/domain';
import {
  BulkTurns,
  DataCipher,
  roomForBins,
  TOO_MANY_BINS,
  Transactions,
  type TransactionSql,
} from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { checkImportLine } from './check/check-line.js';
import { Fault } from './check/faults.js';
import type { BundleLine, ImportableLine } from './schema/bundle.js';
import { writeGoodLines } from './write/batch-writer.js';
import { takeTurnOfStore } from './write/lock-batch.js';
import type { Sql } from './write/table-writer.js';

const MOST_NAMED = 20;

const FIND_STORE = '/* import.store */ SELECT subdomain FROM stores WHERE id = $1';

interface CheckedLine {
  readonly number: number;
  readonly kind: ImportedLine['kind'];
  readonly line: ImportableLine | null;
  readonly fault: string;
}

/** Writes the lines as the command's import does. */
@Injectable()
export class BundleStoreImport extends StoreImport {
  /** The imports of a store follow each other: a second one would only wait for the lock of the first. */
  private readonly oneOfStore = new Semaphore(() => Infinity, TURN_MS, 1);

  constructor(
    private readonly transactions: Transactions,
    private readonly cipher: DataCipher,
    private readonly turns: BulkTurns,
  ) {
    super();
  }

  override async write(request: ImportRequest): Promise<readonly ImportedLine[]> {
    const { storeId, deadline } = request;
    const lines = request.lines.map(checked);
    const write = () => this.transactions.run(storeId, (sql) => this.writeLines(sql, request, lines), deadline);
    return this.oneOfStore.run(storeId, () => this.turns.run(storeId, write, deadline), deadline);
  }

  private async writeLines(
    sql: TransactionSql,
    { storeId, isTest, isAtomic }: ImportRequest,
    lines: readonly CheckedLine[],
  ): Promise<readonly ImportedLine[]> {
    const manager: Sql = { query: <T>(text: string, values: unknown[] = []) => sql.query(text, values) as Promise<T> };
    await takeTurnOfStore(manager, storeId);
    const [{ subdomain = '' } = {}] = await sql.query<{ subdomain: string }>(FIND_STORE, [storeId]);
    const tooMany = await binsTooMany(sql, storeId, lines);
    const good = lines.flatMap(({ number, line }) =>
      line && !tooMany.has(number) ? [{ number, line: inStore(line, subdomain, isTest) }] : [],
    );
    const { results, warnings, faults } = await writeGoodLines(manager, this.cipher, good);
    const written = new Map(results.map((result) => [result.number, result]));
    const problems = new Map([...tooMany, ...faults.map(({ line, problem }) => [line, problem] as const)]);
    const warningOf = (number: number) =>
      warnings.flatMap(({ line, problem }) => (line === number ? [problem] : [])).join('; ');
    const imported = lines.map(({ number, kind, line, fault }): ImportedLine => {
      const result = written.get(number);
      if (!line || !result) {
        return { line: number, kind, id: '', result: 'refused', error: problems.get(number) ?? fault, warning: '' };
      }
      const id = nameOf(line) ?? result.id;
      return { line: number, kind, id, result: result.outcome, error: '', warning: warningOf(number) };
    });
    const refused = imported.filter(({ result }) => result === 'refused');
    if (isAtomic && refused.length > 0) {
      throw new ImportRefused(refused.slice(0, MOST_NAMED).map(({ line, error }) => `line ${line}: ${error}`));
    }
    return imported;
  }
}

function checked({ line: number, value, fault }: ImportLine): CheckedLine {
  if (fault !== null) return { number, kind: null, line: null, fault };
  try {
    const line = checkImportLine(value);
    return { number, kind: line.kind, line, fault: '' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { number, kind: importKindOf(value), line: null, fault: error.message };
  }
}

/** All lines with bins, by number, if they could exceed what requests of the store may make. */
async function binsTooMany(
  sql: TransactionSql,
  storeId: number,
  lines: readonly CheckedLine[],
): Promise<ReadonlyMap<number, string>> {
  const bins = lines.filter(({ line }) => line?.kind === 'bin');
  if (bins.length === 0 || bins.length <= (await roomForBins(sql, storeId))) return new Map();
  return new Map(bins.map(({ number }) => [number, TOO_MANY_BINS]));
}

function inStore(line: ImportableLine, store: string, isTest: boolean): BundleLine {
  return line.kind === 'order' ? { ...line, store, is_test: isTest } : { ...line, store };
}

/** Of rows that the API names by their codes. */
function nameOf(line: ImportableLine): string | null {
  if (line.kind === 'bin') return `${line.warehouse}/${line.code}`;
  return line.kind === 'warehouse' ? line.code : null;
}

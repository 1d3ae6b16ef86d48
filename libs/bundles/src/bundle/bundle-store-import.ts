import { setImmediate } from 'node:timers/promises';
import {
  ChangeFeed,
  DeadlineExceeded,
  importKindOf,
  Semaphore,
  StoreImport,
  SLOT_WAIT_MS,
  type ImportedLine,
  type ImportLine,
  type ImportRequest,
} from '@app/application';
import { ImportRefused } from '@app/domain';
import {
  allNew,
  BulkLimiter,
  Database,
  DataCipher,
  returningUnusedIds,
  problemOfBins,
  recordAudit,
  type DrawnIds,
  type Sql,
  type TransactionSql,
} from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import { checkImportLine } from './check/check-line.js';
import { Fault } from './check/faults.js';
import type { BundleLine, ImportableLine } from './schema/bundle.js';
import { openingsTooLarge, variantsTooMany } from './import-limits.js';
import { writtenByKind } from './write/import-counts.js';
import { writeGoodLines } from './write/batch-writer.js';
import { lockStoreForImport } from './write/lock-batch.js';

const MAX_NAMED = 20;
const CHECKED_AT_ONCE = 10;

const LAST_IDS = `/* import.last_ids */
  SELECT name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(name, 'id')::regclass), 0)::int AS last
  FROM unnest('{brands,categories,products,product_variants}'::text[]) AS name`;

const FIND_STORE = '/* import.store */ SELECT subdomain FROM stores WHERE id = $1';

interface CheckedLine {
  readonly number: number;
  readonly kind: ImportedLine['kind'];
  readonly line: ImportableLine | null;
  readonly fault: string;
}

/** Writes the lines like the import of the command. */
@Injectable()
export class BundleStoreImport extends StoreImport {
  /** Imports of a store run one after the other: a second one would only wait for the lock of the first. */
  private readonly oneOfStore = new Semaphore(() => Infinity, SLOT_WAIT_MS, 1);

  private readonly spareIds = new Map<string, number[]>();

  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
    private readonly bulkLimiter: BulkLimiter,
    private readonly feed: ChangeFeed,
  ) {
    super();
  }

  override async write(request: ImportRequest): Promise<readonly ImportedLine[]> {
    const { storeId, deadline } = request;
    const work = (lines: readonly CheckedLine[]) => (sql: TransactionSql) =>
      returningUnusedIds(this.spareIds, (drawnIds) => this.writeLines(sql, request, lines, drawnIds));
    // The lines are checked inside the limit, too: the check of a large body takes as long as its statements.
    const write = async () => {
      const lines = await checkedOneByOne(request.lines);
      return this.database.transaction(storeId, work(lines), deadline);
    };
    const written = await this.oneOfStore.run(storeId, () => this.bulkLimiter.run(storeId, write, deadline), deadline);
    await this.feed.catchUp(storeId);
    return written;
  }

  private async writeLines(
    sql: TransactionSql,
    { storeId, isTest, isAtomic, deadline, origin }: ImportRequest,
    lines: readonly CheckedLine[],
    drawnIds: DrawnIds,
  ): Promise<readonly ImportedLine[]> {
    const inTime = () => {
      if (deadline.remainingMs === 0) throw new DeadlineExceeded();
    };
    const limited: Sql = {
      query: (text, values) => {
        // The number of statements depends on the lines, so the time is checked here.
        inTime();
        return sql.query(text, values);
      },
    };
    await lockStoreForImport(limited, storeId);
    const [{ subdomain = '' } = {}] = await sql.query<{ subdomain: string }>(FIND_STORE, [storeId]);
    const refusedAtOnce = new Map([
      ...(await binsTooMany(sql, storeId, lines)),
      ...(await openingsTooLarge(sql, storeId, lines)),
      ...(await variantsTooMany(sql, storeId, lines)),
      ...(await idsNotGiven(sql, lines)),
    ]);
    const good = lines.flatMap(({ number, line }) =>
      line && !refusedAtOnce.has(number) ? [{ number, line: inStore(line, subdomain, isTest) }] : [],
    );
    const { results, warnings, faults } = await writeGoodLines(limited, this.cipher, good, drawnIds);
    inTime();
    const written = new Map(results.map((result) => [result.number, result]));
    const problems = new Map([...refusedAtOnce, ...faults.map(({ line, problem }) => [line, problem] as const)]);
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
      const faults = refused.map(({ line, error }) => ({ path: `line ${line}`, message: error }));
      throw new ImportRefused(faults.slice(0, MAX_NAMED));
    }
    const changes = writtenByKind(results);
    if (Object.keys(changes).length > 0) {
      const subject = { kind: 'import', id: '', name: '' } as const;
      await recordAudit(sql, storeId, origin, { action: 'import.written', subject, changes: allNew(changes) });
    }
    return imported;
  }
}

/** Checks the lines one at a time, so that other requests run in between. */
async function checkedOneByOne(lines: readonly ImportLine[]): Promise<CheckedLine[]> {
  const all: CheckedLine[] = [];
  for (const line of lines) {
    all.push(checked(line));
    if (all.length % CHECKED_AT_ONCE === 0) await setImmediate();
  }
  return all;
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

/** Returns all lines with bins, by number, if they could exceed what requests of the store may create. */
async function binsTooMany(
  sql: TransactionSql,
  storeId: number,
  lines: readonly CheckedLine[],
): Promise<ReadonlyMap<number, string>> {
  const bins = lines.flatMap(({ number, line }) => (line?.kind === 'bin' ? [{ number, code: line.code }] : []));
  if (bins.length === 0) return new Map();
  const codes = bins.map(({ code }) => code);
  const problem = await problemOfBins(sql, storeId, codes);
  return new Map(problem === null ? [] : bins.map(({ number }) => [number, problem]));
}

/**
 * Returns all lines with an id that no row has had, by number. All stores share the sequences: a row with an id beyond
 * them would use an id that a new row of another store gets. Only the operator may import such rows.
 */
async function idsNotGiven(sql: TransactionSql, lines: readonly CheckedLine[]): Promise<ReadonlyMap<number, string>> {
  const given = lines.flatMap(({ number, line }) => (line ? idsOf(line).map((id) => ({ number, ...id })) : []));
  if (given.length === 0) return new Map();
  const rows = await sql.query<{ name: string; last: number }>(LAST_IDS, []);
  const last = new Map(rows.map((row) => [row.name, row.last]));
  return new Map(
    given.flatMap(({ number, table, id, path }) => {
      // @protects given-ids
      return id > (last.get(table) ?? 0)
        ? [[number, `${path} must be an id that the service has already assigned`]]
        : [];
    }),
  );
}

interface GivenId {
  readonly table: string;
  readonly id: number;
  readonly path: string;
}

function idsOf(line: ImportableLine): GivenId[] {
  const of = (table: string, path: string, id: number | undefined) => (id === undefined ? [] : [{ table, path, id }]);
  switch (line.kind) {
    case 'brand':
      return of('brands', 'brand.id', line.id);
    case 'category':
      return of('categories', 'category.id', line.id);
    case 'product': {
      const variants = (line.variants ?? []).flatMap(({ id }, index) => {
        return of('product_variants', `product.variants[${index}].id`, id);
      });
      return [...of('products', 'product.id', line.id), ...variants];
    }
    default:
      return [];
  }
}

function inStore(line: ImportableLine, store: string, isTest: boolean): BundleLine {
  return line.kind === 'order' ? { ...line, store, is_test: isTest } : { ...line, store };
}

/** Returns the code by which the API names a row; null for kinds without a code. */
function nameOf(line: ImportableLine): string | null {
  if (line.kind === 'bin') return `${line.warehouse}/${line.code}`;
  return line.kind === 'warehouse' || line.kind === 'price_list' ? line.code : null;
}

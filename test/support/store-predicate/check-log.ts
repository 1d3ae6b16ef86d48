import { createReadStream, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { loadModule } from 'libpg-query';
import { HomeCheck } from './check-home.js';
import type { StoreColumns } from './scope.js';
import { faultsOf, lacksName } from './read-statements.js';

export const LOGGED = {
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_directory: 'log',
  log_rotation_age: '0',
  log_rotation_size: '0',
  log_statement: 'all',
};

/** TypeORM writes these statements; tests check those of the migrations. */
const MIGRATIONS = '"application_name":"store-commerce-migrations"';

interface Line {
  readonly application_name?: string;
  readonly message?: string;
  readonly session_id?: string;
}

export interface Verdict {
  readonly statements: number;
  readonly faults: readonly string[];
}

/** @param cluster the directory of a stopped cluster that ran with {@link LOGGED}. */
export async function checkLog(cluster: string, tables: StoreColumns): Promise<Verdict> {
  await loadModule();
  const homes = new HomeCheck(new Set(tables.keys()));
  const statements = await readStatements(path.join(cluster, 'log'), homes);
  const faults = [...statements].flatMap((sql) => {
    const found = faultsOf(sql, tables);
    const text = sql.trim().replace(/\s+/g, ' ');
    return [
      ...(found.length > 0 ? [`${found.join(', ')} without its store: ${text}`] : []),
      ...(lacksName(sql) ? [`no name, such as /* orders.find */: ${text}`] : []),
    ];
  });
  return { statements: statements.size, faults: [...faults, ...homes.faults] };
}

async function readStatements(directory: string, homes: HomeCheck): Promise<Set<string>> {
  const statements = new Set<string>();
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
    for await (const line of createInterface({ input: createReadStream(path.join(directory, name)) })) {
      // Skips the lines of the tests themselves, which are the majority.
      if (!line.includes('"application_name":"store-commerce') || line.includes(MIGRATIONS)) continue;
      const { message = '', session_id = '' } = JSON.parse(line) as Line;
      const sql = /^(?:statement|execute [^:]*): (.*)$/s.exec(message)?.[1];
      if (sql === undefined) continue;
      statements.add(sql);
      homes.read(session_id, sql);
    }
  }
  return statements;
}

import { createReadStream, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { loadModule } from 'libpg-query';
import type { StoreColumns } from './scope.js';
import { faultsOf, lacksName } from './read-statements.js';

/** What has PostgreSQL write down each statement that it is sent, and by whom, without its values. */
export const LOGGED = {
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_directory: 'log',
  log_rotation_age: '0',
  log_rotation_size: '0',
  log_statement: 'all',
};

interface Line {
  readonly application_name?: string;
  readonly message?: string;
}

export interface Verdict {
  /** Different statements that were checked. */
  readonly statements: number;
  /** One text for each statement that touches rows of any store, or has no name. */
  readonly faults: readonly string[];
}

/**
 * Checks every statement that the service sent, in whichever process: its connections say who they are. Statements inside
 * of functions are not among them; `store-keys.spec.ts` reads those in the catalog.
 *
 * @param cluster the directory of a cluster that ran with {@link LOGGED} and has stopped.
 */
export async function checkLog(cluster: string, tables: StoreColumns): Promise<Verdict> {
  await loadModule();
  const statements = await readStatements(path.join(cluster, 'log'));
  const faults = [...statements].flatMap((sql) => {
    const found = faultsOf(sql, tables);
    const text = sql.trim().replace(/\s+/g, ' ');
    return [
      ...(found.length > 0 ? [`${found.join(', ')} without its store: ${text}`] : []),
      ...(lacksName(sql) ? [`no name, such as /* orders.find */: ${text}`] : []),
    ];
  });
  return { statements: statements.size, faults };
}

async function readStatements(directory: string): Promise<Set<string>> {
  const statements = new Set<string>();
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
    for await (const line of createInterface({ input: createReadStream(path.join(directory, name)) })) {
      // Most lines are of the tests themselves, or repeat others.
      if (!line.includes('"application_name":"store-commerce')) continue;
      const { message = '' } = JSON.parse(line) as Line;
      const sql = /^(?:statement|execute [^:]*): (.*)$/s.exec(message)?.[1];
      if (sql !== undefined) statements.add(sql);
    }
  }
  return statements;
}

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from './private-file.js';
import type { ProcessIdentity } from './running-process.js';

/**
 * The data with which other processes of the same user reach the server. It includes the password: the file is 0600.
 */
export interface ServerState {
  readonly url: string;
  /** The real location of the cluster; differs from `<dataDir>/postgres` when root had to put it elsewhere. */
  readonly clusterDir: string;
  readonly owner: ProcessIdentity;
}

/** Publishes the running server. */
export function writeState(dataDir: string, state: ServerState): void {
  writePrivateFile(stateFile(dataDir), `${JSON.stringify(state, null, 2)}\n`);
}

/** The last published server. It may be dead, if its owner was killed. */
export function readState(dataDir: string): ServerState | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as ServerState;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Withdraws the server. */
export function removeState(dataDir: string): void {
  rmSync(stateFile(dataDir), { force: true });
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}

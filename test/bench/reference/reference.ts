import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startProgram } from '../support/child.js';

/** The schema of its tables: its own bare one, or the service's. */
export type ReferenceSchema = 'bare' | 'public';

/** The reference server in a separate process. */
export interface Reference {
  readonly schema: ReferenceSchema;
  readonly url: string;
  readonly pid: number;
  isRunning(): boolean;
  close(): Promise<void>;
}

export async function startReference(databaseUrl: string, schema: ReferenceSchema): Promise<Reference> {
  const child = startProgram('reference/main.ts', { DATABASE_URL: databaseUrl, SCHEMA: schema });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const line = await Promise.race([once(lines, 'line'), ended.then(() => [''])]);
  const url = /Listening at (\S+)/.exec(String(line[0]))?.[1];
  if (url === undefined) throw new Error('The reference server did not start');
  return {
    schema,
    url,
    pid: child.pid ?? -1,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

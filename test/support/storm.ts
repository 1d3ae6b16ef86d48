import pg from 'pg';
import { seededRandom } from './seeded-random.js';

/** One of the writers of a storm: a connection of its own, in a time zone of its own. */
export interface Writer {
  /** Draws from 0 up to, not including, its argument; repeatable by the writer. */
  readonly draw: (below: number) => number;
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
}

export interface StormOptions {
  readonly writers: number;
  /** Of each writer. */
  readonly acts: number;
  /** What a writer does, again and again. When it fails, its transaction is rolled back. */
  act(writer: Writer): Promise<unknown>;
  /** Reads what should not be there, again and again while the writers write, and once more after them. */
  look(query: Writer['query']): Promise<readonly unknown[]>;
}

/** How it was. */
export interface Storm {
  /** How many looks there were while the writers wrote. */
  readonly looks: number;
  /** What the first look saw that saw anything. */
  readonly seen: readonly unknown[];
  /** Of the acts that failed. */
  readonly errors: readonly string[];
  /** Deadlocks that the server counted. */
  readonly deadlocks: number;
}

const TIME_ZONES = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata'];

/** Lets writers write to a database at the same time, while somebody looks. */
export async function storm(url: string, { writers, acts, act, look }: StormOptions): Promise<Storm> {
  const before = await deadlocksOf(url);
  const errors: string[] = [];
  const write = (n: number) =>
    connected(url, TIME_ZONES[n % TIME_ZONES.length], async (client) => {
      const query: Writer['query'] = (text, values = []) => client.query(text, [...values]);
      const writer = { draw: seededRandom(n + 1), query };
      for (let done = 0; done < acts; done++) {
        await act(writer).catch(async (error: pg.DatabaseError) => {
          errors.push(`${error.code} ${error.message}`);
          await client.query('ROLLBACK');
        });
      }
    });

  const watched = await connected(url, 'America/Los_Angeles', async (client) => {
    let stormy = true;
    const writing = Promise.all(Array.from({ length: writers }, (_, n) => write(n))).finally(() => (stormy = false));
    let looks = 0;
    let seen: readonly unknown[] = [];
    const query: Writer['query'] = (text, values = []) => client.query(text, [...values]);
    const watching = (async () => {
      for (; stormy && seen.length === 0; looks++) seen = await look(query);
    })();
    await Promise.all([writing, watching]);
    return { looks, seen: seen.length > 0 ? seen : await look(query) };
  });
  return { ...watched, errors, deadlocks: (await deadlocksOf(url)) - before };
}

async function connected<T>(
  url: string,
  timeZone: string | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: `-c TimeZone=${timeZone}` });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// Read when the writers have gone: a session tells of its deadlocks at its end at the latest.
function deadlocksOf(url: string): Promise<number> {
  return connected(url, 'UTC', async (client) => {
    const { rows } = await client.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0]?.deadlocks ?? 0;
  });
}

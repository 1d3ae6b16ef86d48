import { createInterface } from 'node:readline';
import autocannon, { type Options, type Request, type Result } from 'autocannon';
import { seededRandom } from '../../support/seeded-random.js';
import type { Job, Load } from './job.js';
import { orderOf } from './order-of.js';

// The clients, in a separate process: it reads jobs from standard input, one per line, and writes their results to
// standard output. It lives for the whole bench, because a fresh driver's start would distort the measurement.

/** Composed before the connection opens, so that the driver does no such work while it measures. */
const PATHS_A_CONNECTION = 256;
const TIMEOUT_S = 10;

async function carryOut(job: Job): Promise<Load> {
  const durations: number[] = [];
  const result = await new Promise<Result>((resolve, reject) => {
    const run = autocannon(optionsOf(job), (error: Error | null, done) => (error ? reject(error) : resolve(done)));
    run.on('response', (_client, _status, _bytes, milliseconds) => durations.push(milliseconds));
  });

  durations.sort((a, b) => a - b);
  const quantile = (share: number) => durations[Math.floor(share * (durations.length - 1))] ?? 0;
  const statuses = Object.entries(result.statusCodeStats ?? {});
  const isExpected = (status: string) => (tagOf(job) === undefined ? status.startsWith('2') : status === '304');
  const answered = statuses.reduce((sum, [status, { count = 0 }]) => sum + (isExpected(status) ? count : 0), 0);
  const unexpected = statuses.filter(([status]) => !isExpected(status));
  return {
    answered,
    perSecond: answered / result.duration,
    p50: quantile(0.5),
    p99: quantile(0.99),
    max: quantile(1),
    failures: {
      statuses: Object.fromEntries(unexpected.map(([status, { count = 0 }]) => [status, count])),
      errors: result.errors - result.timeouts,
      timeouts: result.timeouts,
    },
  };
}

function optionsOf(job: Job): Options {
  const random = seededRandom(job.seed);
  const tag = tagOf(job);
  return {
    url: job.url,
    connections: job.connections,
    duration: job.seconds,
    timeout: TIMEOUT_S,
    ...(job.rate === undefined ? {} : { overallRate: job.rate }),
    // Polling interval for the end of the job.
    sampleInt: 50,
    headers: { authorization: `Bearer ${job.key}`, ...(tag !== undefined && { 'if-none-match': tag }) },
    setupClient: (client) => client.setRequests(requestsOf(job, random)),
  };
}

function tagOf({ requests }: Job): string | undefined {
  return requests.kind === 'reads' ? requests.tag : undefined;
}

/** Numbered across all jobs, so that no buyer orders twice: the fraud rules would react to that. */
let buyers = 0;

function requestsOf({ requests }: Job, random: (below: number) => number): Request[] {
  if (requests.kind === 'reads') {
    const { paths } = requests;
    return Array.from({ length: PATHS_A_CONNECTION }, () => ({ path: paths[random(paths.length)] ?? '/' }));
  }
  const headers = { 'content-type': 'application/json' };
  const setupRequest = (request: Request) => ({
    ...request,
    body: JSON.stringify(orderOf(requests, 'driver', ++buyers, random)),
  });
  return [{ method: 'POST', path: '/v1/orders', headers, setupRequest }];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, job } = JSON.parse(line) as { id: number; job: Job };
  const report = (answer: object) => process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
  carryOut(job).then(
    (load) => report({ load }),
    (error: Error) => report({ error: error.stack }),
  );
}

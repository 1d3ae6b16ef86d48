import autocannon, { type Request, type Result } from 'autocannon';
import { seededRandom } from '../../support/seeded-random.js';
import { orderOf, receiptOf, type Job, type Load } from './driver.js';

// The driver is a separate process for the whole bench: starting a new one would distort the measurement.

/** These paths are composed before the connection opens, so that the driver does no such work while it measures. */
const PATHS_A_CONNECTION = 256;
const TIMEOUT_S = 10;

async function carryOut({ url, key, connections, seconds, requests, seed }: Job): Promise<Load> {
  const random = seededRandom(seed);
  const durations: number[] = [];
  const result = await new Promise<Result>((resolve, reject) => {
    const options = {
      url,
      connections,
      duration: seconds,
      timeout: TIMEOUT_S,
      // The value is the polling interval for the end of the job.
      sampleInt: 50,
      headers: { authorization: `Bearer ${key}` },
      setupClient: (client: autocannon.Client) => client.setRequests(requestsOf(requests, random)),
    };
    const run = autocannon(options, (error: Error | null, done) => (error ? reject(error) : resolve(done)));
    run.on('response', (_client, _status, _bytes, milliseconds) => durations.push(milliseconds));
  });

  durations.sort((a, b) => a - b);
  const quantile = (share: number) => durations[Math.floor(share * (durations.length - 1))] ?? 0;
  const statuses = Object.entries(result.statusCodeStats ?? {}).map(
    ([status, { count = 0 }]) => [status, count] as const,
  );
  const others = { errors: result.errors - result.timeouts, timeouts: result.timeouts };
  const failures = [...statuses.filter(([status]) => !status.startsWith('2')), ...Object.entries(others)];
  return {
    answered: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50: quantile(0.5),
    p99: quantile(0.99),
    failures: Object.fromEntries(failures.filter(([, count]) => count > 0)),
  };
}

/** The number increases across all jobs, so that no buyer orders twice: the fraud rules would react to that. */
let buyers = 0;

function requestsOf(requests: Job['requests'], random: (below: number) => number): Request[] {
  if (requests.kind === 'reads') {
    const { paths } = requests;
    return Array.from({ length: PATHS_A_CONNECTION }, () => ({ path: paths[random(paths.length)] ?? '/' }));
  }
  const headers = { 'content-type': 'application/json' };
  const isOrders = requests.kind === 'orders';
  const bodyOf = () => (isOrders ? orderOf(requests, 'driver', ++buyers, random) : receiptOf(requests, random));
  const setupRequest = (request: Request) => ({ ...request, body: JSON.stringify(bodyOf()) });
  return [{ method: 'POST', path: isOrders ? '/v1/orders' : '/v1/stock', headers, setupRequest }];
}

process.once('disconnect', () => process.exit());
process.on('message', (job: Job) => void carryOut(job).then((load) => process.send?.(load)));

import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { orderBodies, type DriveJob, type DriveResult } from './drive.js';

// A process of its own, so that making load and serving it do not share an event loop: reads jobs from standard input, a
// line of JSON each, drives the server, and writes the result as a line of JSON.

async function run({ url, key, connections, seconds, paths, orders }: DriveJob): Promise<DriveResult> {
  const headers = { authorization: `Bearer ${key}` };
  const nextBody = orders && orderBodies(orders);
  const requests: autocannon.Request[] = nextBody
    ? [
        {
          method: 'POST',
          path: '/v1/orders',
          headers: { ...headers, 'content-type': 'application/json' },
          setupRequest: (request) => ({ ...request, body: nextBody() }),
        },
      ]
    : paths.map((path) => ({ method: 'GET', path, headers }));
  const result = await autocannon({ url, connections, duration: seconds, requests });
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    good: result['2xx'],
    bad: result.non2xx,
    errors: result.errors + result.timeouts,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as DriveJob))}\n`);
}

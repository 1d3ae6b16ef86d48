import type { RequestListener } from 'node:http';
import { Overloaded } from '@app/application';
import { describeError } from '../../errors/describe-error.js';
import type { Metrics } from '../../status/metrics.js';
import type { ConcurrencyLimits } from './concurrency-limits.js';
import { requestId } from './request-id.js';

const REFUSAL = describeError(new Overloaded());
const BODY = JSON.stringify(REFUSAL.body);
const HEADERS = {
  ...REFUSAL.headers,
  'cache-control': 'no-store',
  'content-length': Buffer.byteLength(BODY),
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

/**
 * Refuses requests before Fastify: refusals by a hook, each with a log line, reduce the throughput under overload to a
 * seventh. Requests take their slots in the `concurrency-limit` plugin.
 */
export function shedLoad(serve: RequestListener, limits: ConcurrencyLimits, metrics: Metrics): RequestListener {
  return (request, response) => {
    const limit = limits.of(request);
    if (!limit?.isFullFor(request.headers.authorization)) {
      serve(request, response);
      return;
    }
    metrics.refusedRequests.inc({ kind: limit.kind });
    response.writeHead(REFUSAL.status, { ...HEADERS, 'x-request-id': requestId(request) }).end(BODY);
  };
}

import type { Exchange } from '../support/history.js';
import type { ProofForm } from '../support/proof.js';
import type { Trouble } from './troubles.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The quick form runs next to other tests on a busy machine: it checks the times only roughly. */
const LIMITS = { full: { refusalMs: 3_000, liveMs: 1_000 }, quick: { refusalMs: 6_000, liveMs: 5_000 } } as const;
/** The client's statement timeout, plus the check of the commit's outcome. */
const CAUGHT_LIMIT_MS = 12_000;
/** An order sent up to this long after the beginning may have done its look-ups before. */
const AT_WORK_MS = 50;
/** A request sent as the fault began may still succeed. */
const EDGE_MS = 500;
/** The time of three failed checks, one every 2 s, each with a timeout of 1.5 s. */
const READINESS_MS = 8_500;
const SUCCESS = [200, 201];

/** @param exchanges the exchanges with the affected services, including the answers after the fault. */
export function judge(form: ProofForm, trouble: Trouble, { from, to }: Span, exchanges: readonly Exchange[]) {
  const { refusalMs, liveMs } = LIMITS[form];
  const during = exchanges.filter(({ at, tookMs }) => at < to && at + tookMs > from);
  // The outcome of an order in progress when the database falls silent is known when its statement ends or times out.
  const isCaught = ({ method, at, tookMs }: Exchange) =>
    trouble.isSilent && method === 'POST' && at < from + AT_WORK_MS && tookMs >= refusalMs;
  const onApi = during.filter(({ path }) => path.startsWith('/v1'));
  const violations = [
    ...onApi.flatMap((exchange) => {
      const { status, tookMs, method, path, error, at } = exchange;
      const what = `${method} ${path} → ${status ?? error} after ${tookMs} ms`;
      if (isCaught(exchange)) return [503, 201].includes(status ?? 0) && tookMs < CAUGHT_LIMIT_MS ? [] : [what];
      const isInside = at > from + EDGE_MS && at + tookMs < to;
      const mustWork = trouble.healsAfterMs !== undefined && at > from + trouble.healsAfterMs;
      if (status === 503 && mustWork) return [`${what}, ${at - from} ms after the trouble began`];
      if (status === 503 && tookMs >= refusalMs) return [what];
      if (status === 503) return exchange.headers['retry-after'] === undefined ? [`${what}, no Retry-After`] : [];
      return SUCCESS.includes(status ?? 0) && !(trouble.isOutage && isInside) ? [] : [what];
    }),
    ...during
      .filter(({ path, status, tookMs }) => path === '/health/live' && (status !== 200 || tookMs > liveMs))
      .map(({ status, error, tookMs }) => `live is ${status ?? error} after ${tookMs} ms`),
    ...(trouble.showsInReadiness ? readinessViolations({ from, to }, during) : []),
  ];
  const refusals = onApi.filter((exchange) => exchange.status === 503 && !isCaught(exchange));
  const slowestMs = Math.max(0, ...refusals.map(({ tookMs }) => tookMs));
  return {
    violations: violations.map((text) => `${trouble.name}: ${text}`),
    figures: `${trouble.name}: ${refusals.length} × 503 in at most ${slowestMs} ms`,
  };
}

function readinessViolations({ from, to }: Span, during: readonly Exchange[]): string[] {
  const ready = during.filter(
    ({ path, at, tookMs }) => path === '/health/ready' && at > from + READINESS_MS && at + tookMs < to,
  );
  const wrong = ready.filter(({ status }) => status !== 503).map(({ status }) => `ready is ${status} in the outage`);
  return ready.length === 0 ? ['ready was not asked in the outage'] : wrong;
}

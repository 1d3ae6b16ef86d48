import type { Exchange } from '../history.js';
import type { ProofForm } from '../proof.js';
import type { Trouble } from './trouble.js';

/** Begin and end, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The time limit for a refusal, and for an answer to the liveness probe. The quick form runs next to other tests on a
 * busy machine: it checks the answers strictly, and the times only roughly.
 */
const LIMITS = { full: { refusalMs: 3_000, liveMs: 1_000 }, quick: { refusalMs: 6_000, liveMs: 5_000 } } as const;
/** The client's statement timeout, plus the check of the commit's outcome. */
const CAUGHT_LIMIT_MS = 12_000;
/** An order sent up to this long after the beginning may have done its look-ups before. */
const AT_WORK_MS = 50;
/** A request sent as the fault began may still succeed. */
const EDGE_MS = 500;
/** Three failed checks, one every 2 s, each with a timeout of 1.5 s. */
const READINESS_MS = 8_500;
const SUCCESS = [200, 201];

/** The clients' view of the fault. */
export interface Experience {
  readonly violations: readonly string[];
  readonly answered: number;
  readonly unavailable: number;
  /** The longest wait for a 503 under /v1, excluding `caught` requests. This is the limited one. */
  readonly slowestMs: number;
  /** The longest wait of a request that succeeded. */
  readonly slowestSuccessMs: number;
  /**
   * The longest wait of orders that were in progress when the database fell silent: their outcome is known only when
   * their statement ends or times out.
   */
  readonly caughtMs: number;
}

/** @param exchanges those with the affected services, including the answers after the fault. */
export function judge(
  form: ProofForm,
  trouble: Trouble,
  { from, to }: Span,
  exchanges: readonly Exchange[],
): Experience {
  const { refusalMs, liveMs } = LIMITS[form];
  const during = exchanges.filter(({ at, tookMs }) => at < to && at + tookMs > from);
  const isCaught = ({ method, at, tookMs }: Exchange) =>
    trouble.isSilent && method === 'POST' && at < from + AT_WORK_MS && tookMs >= refusalMs;
  const onApi = during.filter(({ path }) => path.startsWith('/v1'));
  const violations = [
    ...onApi.flatMap((exchange) => {
      const { status, tookMs, method, path, error, at } = exchange;
      const what = `${method} ${path} → ${status ?? error} after ${tookMs} ms`;
      if (isCaught(exchange)) return [503, 201].includes(status ?? 0) && tookMs < CAUGHT_LIMIT_MS ? [] : [what];
      const isInside = at > from + EDGE_MS && at + tookMs < to;
      const mustWork = trouble.healsAfterMs !== null && at > from + trouble.healsAfterMs;
      if (status === 503 && mustWork) return [`${what}, ${at - from} ms after the trouble began`];
      if (status === 503 && tookMs >= refusalMs) return [what];
      if (status === 503) return exchange.headers['retry-after'] === undefined ? [`${what}, no Retry-After`] : [];
      return SUCCESS.includes(status ?? 0) && !(trouble.isOutage && isInside) ? [] : [what];
    }),
    ...during
      .filter(({ path, status, tookMs }) => path === '/health/live' && (status !== 200 || tookMs > liveMs))
      .map(({ status, error, tookMs }) => `live is ${status ?? error} after ${tookMs} ms`),
    ...readinessViolations(trouble, { from, to }, during),
  ];
  return {
    violations: violations.map((text) => `${trouble.name}: ${text}`),
    answered: onApi.filter(({ status }) => SUCCESS.includes(status ?? 0)).length,
    unavailable: onApi.filter(({ status }) => status === 503).length,
    slowestMs: slowest(onApi.filter((exchange) => exchange.status === 503 && !isCaught(exchange))),
    slowestSuccessMs: slowest(onApi.filter(({ status }) => SUCCESS.includes(status ?? 0))),
    caughtMs: slowest(onApi.filter(isCaught)),
  };
}

function slowest(exchanges: readonly Exchange[]): number {
  return Math.max(0, ...exchanges.map(({ tookMs }) => tookMs));
}

function readinessViolations({ showsInReadiness }: Trouble, { from, to }: Span, during: readonly Exchange[]): string[] {
  if (!showsInReadiness) return [];
  const ready = during.filter(
    ({ path, at, tookMs }) => path === '/health/ready' && at > from + READINESS_MS && at + tookMs < to,
  );
  const wrong = ready.filter(({ status }) => status !== 503).map(({ status }) => `ready is ${status} in the outage`);
  return ready.length === 0 ? ['ready was not asked in the outage'] : wrong;
}

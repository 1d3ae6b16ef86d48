import type { Exchange } from '../history.js';
import type { Trouble } from './trouble.js';

/** From when to when, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const LIMIT_MS = 3_000;
const LIVE_LIMIT_MS = 1_000;
/** What was sent when the trouble began may still have been answered from before. */
const EDGE_MS = 500;
/** Three misses of a check every 2 s that waits 1.5 s. */
const READINESS_MS = 8_500;
const SUCCESS = [200, 201];

/** What the clients saw of the trouble. */
export interface Experience {
  readonly violations: readonly string[];
  readonly answered: number;
  readonly unavailable: number;
  /** The longest wait for any answer under /v1. */
  readonly slowestMs: number;
}

/** @param exchanges those with services that were in trouble, also what they answered after it. */
export function judge(trouble: Trouble, { from, to }: Span, exchanges: readonly Exchange[]): Experience {
  const during = exchanges.filter(({ at, tookMs }) => at < to && at + tookMs > from);
  const onApi = during.filter(({ path }) => path.startsWith('/v1'));
  const violations = [
    ...onApi.flatMap((exchange) => {
      const { status, tookMs, method, path, error, at } = exchange;
      const what = `${method} ${path} → ${status ?? error} after ${tookMs} ms`;
      const isInside = at > from + EDGE_MS && at + tookMs < to;
      if (tookMs >= LIMIT_MS) return [what];
      if (status === 503) return exchange.headers['retry-after'] === undefined ? [`${what}, no Retry-After`] : [];
      return SUCCESS.includes(status ?? 0) && !(trouble.isOutage && isInside) ? [] : [what];
    }),
    ...during
      .filter(({ path, status, tookMs }) => path === '/health/live' && (status !== 200 || tookMs > LIVE_LIMIT_MS))
      .map(({ status, error, tookMs }) => `live is ${status ?? error} after ${tookMs} ms`),
    ...readinessViolations(trouble, { from, to }, during),
  ];
  return {
    violations: violations.map((text) => `${trouble.name}: ${text}`),
    answered: onApi.filter(({ status }) => SUCCESS.includes(status ?? 0)).length,
    unavailable: onApi.filter(({ status }) => status === 503).length,
    slowestMs: Math.max(0, ...onApi.map(({ tookMs }) => tookMs)),
  };
}

function readinessViolations({ showsInReadiness }: Trouble, { from, to }: Span, during: readonly Exchange[]): string[] {
  if (!showsInReadiness) return [];
  const ready = during.filter(
    ({ path, at, tookMs }) => path === '/health/ready' && at > from + READINESS_MS && at + tookMs < to,
  );
  const wrong = ready.filter(({ status }) => status !== 503).map(({ status }) => `ready is ${status} in the outage`);
  return ready.length === 0 ? ['ready was not asked in the outage'] : wrong;
}

import { ask } from '../support/ask.js';

/**
 * prom-client reports the interval between two firings of a 10 ms timer since the last scrape: 10 ms on an idle loop,
 * and the length of a blocking task when that is longer. The part above 10 is the delay.
 */
const TIMER_MS = 10;

/** The 99th percentile of the event-loop delay since the previous call. */
export async function loopDelayP99(serviceUrl: string): Promise<number> {
  const metrics = await ask(`${serviceUrl}/metrics`);
  const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1];
  return Math.max(0, Number(seconds) * 1_000 - TIMER_MS);
}

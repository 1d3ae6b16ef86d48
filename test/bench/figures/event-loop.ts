import { ask } from '../support/ask.js';

/**
 * prom-client's figure is the time between two firings of a timer of 10 ms, of all since the figures were last asked for:
 * 10 ms when nothing keeps the loop busy, and the length of what does when that is longer. What is beyond 10 is the delay.
 */
const TIMER_MS = 10;

/** How long something due had to wait for the event loop in the worst of a hundred cases, since this was last asked. */
export async function loopDelayP99(serviceUrl: string): Promise<number> {
  const metrics = await ask(`${serviceUrl}/metrics`);
  const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1];
  return Math.max(0, Number(seconds) * 1_000 - TIMER_MS);
}

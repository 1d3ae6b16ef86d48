import { Worker } from 'node:worker_threads';
import type { ServiceMetrics } from './service-metrics.js';

/** The thread serves states that are this old, and one turn of the event loop. */
const REPORT_EVERY_MS = 100;
/** A process whose event loop did not turn for this long is stuck: probes get a 503 and may restart it. */
const SILENT_AFTER_MS = 10_000;
/** The thread holds a few connections and a copy of the metrics. */
const MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 };

/** The checks of a process by name, in the shape of Terminus. */
export interface ReadinessReport {
  readonly status: 'ok' | 'error';
  readonly details: Readonly<Record<string, { readonly status: 'up' | 'down' }>>;
}

/** What probes report about a process. */
export interface ProcessState {
  /** False makes the orchestrator restart the process. */
  readonly isLive: boolean;
  /** Null for a process that takes no requests. */
  readonly readiness: ReadinessReport | null;
}

export interface StatusServer {
  readonly port: number;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

type FromThread =
  | { readonly scrape: number }
  | { readonly port: number }
  | { readonly failure: { readonly code: string; readonly message: string; readonly port: number } };

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` at a port of their own, which is for operators only. The server
 * is a thread: probes do not wait behind the requests of an overloaded event loop, or behind new connections.
 *
 * @param state called ten times a second.
 */
export async function serveStatus(
  host: string,
  port: number,
  metrics: ServiceMetrics,
  state: () => ProcessState,
): Promise<StatusServer> {
  const thread = new Worker(new URL('./status-thread.mjs', import.meta.url), {
    workerData: { host, port, silentAfterMs: SILENT_AFTER_MS, state: state() },
    resourceLimits: MEMORY,
  });
  const bound = await listening(thread);
  thread.on('message', (message: FromThread) => {
    if ('scrape' in message) void scrape(metrics, message.scrape).then((answer) => thread.postMessage(answer));
  });
  const reports = setInterval(() => thread.postMessage({ report: state() }), REPORT_EVERY_MS).unref();
  thread.unref();
  return {
    port: bound,
    close: async () => {
      clearInterval(reports);
      await thread.terminate();
    },
  };
}

/** Resolves to the port. @throws Error with the `code` and the `port` of the failure. */
function listening(thread: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    thread.once('error', reject);
    thread.once('message', (message: FromThread) => {
      thread.off('error', reject);
      if ('port' in message) resolve(message.port);
      if (!('failure' in message)) return;
      const { code, port, message: text } = message.failure;
      reject(Object.assign(new Error(text), { code, port }));
      void thread.terminate();
    });
  });
}

async function scrape({ text }: ServiceMetrics, id: number): Promise<object> {
  const rendered = await text.read().catch(() => null);
  return { scrape: { id, text: rendered, contentType: text.contentType } };
}

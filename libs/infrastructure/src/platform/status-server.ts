import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { errorCode } from './error-code.js';
import type { ServiceMetrics } from './service-metrics.js';

/** The thread serves states that are this old, and one turn of the event loop. */
const REPORT_EVERY_MS = 100;
/** A process whose event loop did not turn for this long is stuck: probes get a 503 and may restart it. */
const SILENT_AFTER_MS = 10_000;
/** The pause before a thread that failed is replaced. */
const RESTART_AFTER_MS = 1_000;
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
 * is a thread: probes do not wait behind the requests of an overloaded event loop, or behind new connections. A thread
 * that fails does not end the process: the next one listens at the same port a second later.
 *
 * @param state called ten times a second.
 */
export async function serveStatus(
  host: string,
  port: number,
  metrics: ServiceMetrics,
  state: () => ProcessState,
): Promise<StatusServer> {
  const logger = new Logger('StatusServer');
  let isClosed = false;
  let restart: NodeJS.Timeout | undefined;

  const start = async (wanted: number) => {
    const thread = new Worker(new URL('./status-thread.mjs', import.meta.url), {
      workerData: { host, port: wanted, silentAfterMs: SILENT_AFTER_MS, state: state() },
      resourceLimits: MEMORY,
    });
    const bound = await listening(thread);
    thread.on('message', (message: FromThread) => {
      if ('scrape' in message) void scrape(metrics, message.scrape).then((answer) => thread.postMessage(answer));
    });
    let failure: unknown;
    thread.on('error', (error) => (failure = error));
    thread.once('exit', () => {
      if (isClosed) return;
      logger.warn(`The metrics port stopped answering and starts again (${errorCode(failure) ?? 'no error code'})`);
      startLater(bound);
    });
    thread.unref();
    return { thread, bound };
  };
  const startLater = (bound: number) => {
    restart = setTimeout(() => {
      start(bound).then(
        (next) => {
          current = next.thread;
          if (isClosed) void current.terminate();
        },
        () => {
          if (!isClosed) startLater(bound);
        },
      );
    }, RESTART_AFTER_MS).unref();
  };

  const first = await start(port);
  let current = first.thread;
  const reports = setInterval(() => current.postMessage({ report: state() }), REPORT_EVERY_MS).unref();
  return {
    port: first.bound,
    close: async () => {
      isClosed = true;
      clearInterval(reports);
      clearTimeout(restart);
      await current.terminate();
    },
  };
}

/** Resolves to the port. @throws Error with the `code` and the `port` of the failure. */
function listening(thread: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    // Stays for the life of the thread: an error without a listener ends the process.
    thread.on('error', reject);
    thread.once('exit', () => reject(new Error('The thread of the metrics port ended before it listened')));
    thread.once('message', (message: FromThread) => {
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

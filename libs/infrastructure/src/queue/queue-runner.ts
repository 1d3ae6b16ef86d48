import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { Logger as QueueLogger, runTaskList, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import { isReadTimeout } from '../postgres/postgres-errors.js';
import { failureName } from '../orders/failure-name.js';

const POLL_INTERVAL_MS = 2_000;
/** The time that a runner has to end its jobs after it gives up. */
export const LAST_WORDS_MS = 5_000;

/** Levels of the queue's own messages that are logged. */
const LOUD: ReadonlySet<string> = new Set(['error', 'warning']);

// Without batches, the queue does not wait for the write of a job's outcome. A stop overtakes the write, and the job
// stays locked for a minute; a write that fails, because the database is away, ends the process with an unhandled
// rejection. The queue waits for batches, and a failed batch stops the runner, which is then started again.
const OUTCOMES_ARE_AWAITED = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

export interface QueueRunnerOptions {
  readonly concurrency: number;
  readonly tasks: TaskList;
  readonly logger: Logger;
  /** When aborted, the runner claims no more jobs and finishes those that are running. */
  readonly stopping: AbortSignal;
}

/**
 * Runs the jobs of the queue until `stopping`, or until the queue's own runner gives up. Without the library's
 * schedule, which would continue forever in an abandoned runner.
 *
 * @param pool ends with the runner, which may never return its connections.
 */
export async function runQueue(pool: pg.Pool, options: QueueRunnerOptions): Promise<void> {
  const { concurrency, tasks, logger, stopping } = options;
  const events: WorkerEvents = new EventEmitter();
  const givenUp = once(events, 'pool:gracefulShutdown').then(() => sleep(LAST_WORDS_MS, undefined, { ref: false }));
  const shared = {
    events,
    concurrency,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    logger: new QueueLogger(() => (level, message) => {
      if (LOUD.has(level)) logger.warn(message.split('\n')[0]);
    }),
    preset: OUTCOMES_ARE_AWAITED,
  };
  const runner = runTaskList(shared, tasks, pool);
  let isStopped = false;
  const stop = () => {
    if (isStopped) return;
    isStopped = true;
    void Promise.resolve(runner.gracefulShutdown()).catch(() => undefined);
  };
  events.on('pool:gracefulShutdown', () => (isStopped = true));
  // A runner whose first query fails keeps that error and fails with it forever. After a read timeout, other
  // connections are probably dead, including the listening one, where no query would notice. Other failures are
  // temporary.
  let hasLooked = false;
  for (const found of ['job:start', 'worker:getJob:empty'] as const) events.once(found, () => (hasLooked = true));
  events.on('worker:getJob:error', ({ error }) => {
    if (isStopped || (hasLooked && !isReadTimeout(error))) return;
    logger.warn(`Jobs cannot be claimed (${failureName(error as Error)}): trying again on new connections`);
    stop();
  });
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  try {
    // A runner that gives up because it lost the database may never resolve. Its jobs are then recovered like those of
    // a killed worker. A runner that is stopped gets all the time it needs: its deliveries may take longer than
    // LAST_WORDS_MS.
    const lost = givenUp.then(() => (stopping.aborted ? runner.promise : undefined));
    await Promise.race([runner.promise, lost]);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { Logger as QueueLogger, runTaskList, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import { isReadTimeout } from '../postgres/postgres-errors.js';
import { failureName } from '../orders/failure-name.js';

const POLL_INTERVAL_MS = 2_000;
/** What a runner that gives up gets to end its jobs. */
export const LAST_WORDS_MS = 5_000;

/** Levels of the queue's own messages that are worth a line. */
const LOUD: ReadonlySet<string> = new Set(['error', 'warning']);

// Without batches the queue notes the outcome of a job and does not wait for it: a stop overtakes the note, so the job
// stays locked for a minute, and a note that fails, because the database is away, ends the process as an unhandled
// rejection. Batches are waited for, and one that fails stops the runner, which is started again.
const OUTCOMES_ARE_AWAITED = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

export interface QueueRunnerOptions {
  readonly concurrency: number;
  readonly tasks: TaskList;
  readonly logger: Logger;
  /** Claims no more jobs from then on, and finishes those that are running. */
  readonly stopping: AbortSignal;
}

/**
 * Works the queue until `stopping`, or until the queue's own runner gives up. It has no schedule of its own: the
 * library's goes on for ever in a runner that is given up.
 *
 * @param pool goes with the runner, which may never give its connections back.
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
  // A runner keeps what its very first look into the queue failed with, and fails with it for ever. And one connection
  // that died in silence means others did, that on which it listens included: nothing is asked on that one, so nothing
  // else would show. Other failures pass by themselves.
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
    // A runner that gives up because the database went away under its hands may never say that it is done. What it had
    // begun is then taken from it like from one that was killed. One that is stopped says so too, and is waited for: its
    // deliveries may take longer than its last words.
    const lost = givenUp.then(() => (stopping.aborted ? runner.promise : undefined));
    await Promise.race([runner.promise, lost]);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

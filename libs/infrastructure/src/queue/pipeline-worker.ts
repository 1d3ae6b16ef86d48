import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunPipelineStage, within } from '@app/application';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { run, Logger as QueueLogger, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import { foldTallies } from '../persistence/fold-tallies.js';
import { recoverAbandonedJobs } from './abandoned-jobs.js';
import { failureName } from './failure-name.js';
import { queuePool } from './queue-pool.js';
import { reported, type Reports } from './reported-attempt.js';
import { purgeExpired, type Retention } from './retention.js';
import { NOTIFICATION_TASK, relayStages, type NotificationJob } from './stage-relay.js';

const CONCURRENCY = 4;
const POLL_INTERVAL_MS = 2_000;
const RESTART_DELAY_MS = 1_000;
const START_TIMEOUT_MS = 30_000;
/** How long a new order's notifications wait at most before they are queued. */
const RELAY_INTERVAL_MS = 250;
const RECOVERY_INTERVAL_MS = 10_000;
/** Not through the queue: what expires must not wait for a backlog of mail. */
const RETENTION_INTERVAL_MS = 600_000;
const FOLD_INTERVAL_MS = 5_000;
/** What earlier releases had the queue do; a job of it may be left. */
const FORMER_PURGE_TASK = 'purge-idempotency-keys';
/** What a runner that gives up gets to end its jobs. */
const LAST_WORDS_MS = 5_000;

/** Levels of the queue's own messages that are worth a line. */
const LOUD: ReadonlySet<string> = new Set(['error', 'warning']);

/** No attempt takes longer: whoever holds a job for much longer than this is gone. */
const ATTEMPT_TIMEOUT_MS = 30_000;

/** Longer than any attempt: jobs that are running when the shutdown begins are finished. */
const SHUTDOWN_MS = 35_000;

// Without batches the queue notes the outcome of a job and does not wait for it: a stop overtakes the note, so the job
// stays locked for a minute, and a note that fails, because the database is away, ends the process as an unhandled
// rejection. Batches are waited for, and one that fails stops the runner, which is started again.
const OUTCOMES_ARE_AWAITED = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Works the queued stages of orders. Several of them, in as many processes, share the work safely. */
export class PipelineWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(PipelineWorker.name);
  /** Of everything but the runner. */
  private readonly pool: pg.Pool;
  private readonly stopping = new AbortController();
  private runner: Runner | null = null;
  private loops: Promise<unknown> = Promise.resolve();

  /** @param databaseUrl a direct connection: the queue listens for new jobs. */
  constructor(
    private readonly stages: RunPipelineStage,
    private readonly databaseUrl: string,
    private readonly reports: Reports,
    private readonly retention: Retention,
  ) {
    this.pool = this.openPool(2);
  }

  onApplicationBootstrap(): void {
    const work = this.repeatedly(RESTART_DELAY_MS, () => this.work());
    const recover = this.repeatedly(RECOVERY_INTERVAL_MS, () => recoverAbandonedJobs(this.pool));
    const relay = this.repeatedly(RELAY_INTERVAL_MS, () => this.relay());
    const purge = this.repeatedly(RETENTION_INTERVAL_MS, () => purgeExpired(this.pool, this.retention));
    const fold = this.repeatedly(FOLD_INTERVAL_MS, () => foldTallies(this.pool));
    this.loops = Promise.all([work, recover, relay, purge, fold]);
  }

  /** Claims no more jobs and waits for those that are running. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    const stopped = this.runner?.stop().catch(() => undefined);
    await atMost(SHUTDOWN_MS, Promise.all([stopped, this.loops]));
    await this.pool.end();
  }

  private openPool(size: number): pg.Pool {
    return queuePool(this.databaseUrl, size, (error) => {
      this.logger.warn(`A connection broke: ${failureName(error)}`);
    });
  }

  /** Until the shutdown, whatever fails: the database may go away and come back. */
  private async repeatedly(pauseMs: number, action: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await action().catch((error: Error) => this.logger.warn(`The queue is out of reach: ${failureName(error)}`));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Resolves, or rejects, when the queue's runner gives up. A runner may never give its connections back, so each has a
   * pool of its own, which goes with it.
   */
  private async work(): Promise<void> {
    const pool = this.openPool(CONCURRENCY + 2);
    try {
      await this.workOn(pool);
    } finally {
      const ended = atMost(LAST_WORDS_MS, pool.end());
      if (this.stopping.signal.aborted) await ended;
    }
  }

  private async workOn(pgPool: pg.Pool): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    const givenUp = once(events, 'pool:gracefulShutdown').then(() => sleep(LAST_WORDS_MS, undefined, { ref: false }));
    const starting = run({
      events,
      pgPool,
      concurrency: CONCURRENCY,
      pollInterval: POLL_INTERVAL_MS,
      noHandleSignals: true,
      logger: new QueueLogger(() => (level, message) => {
        if (LOUD.has(level)) this.logger.warn(message.split('\n')[0]);
      }),
      taskList: this.tasks(),
      preset: OUTCOMES_ARE_AWAITED,
    });
    const runner = await within(START_TIMEOUT_MS, starting);
    this.runner = runner;
    if (this.stopping.signal.aborted) await runner.stop().catch(() => undefined);
    // A runner that gives up because the database went away under its hands may never say that it is done. What it had
    // begun is then taken from it like from one that was killed. One that is stopped says so too, and is waited for: its
    // deliveries may take longer than its last words.
    const lost = givenUp.then(() => (this.stopping.signal.aborted ? runner.promise : undefined));
    await Promise.race([runner.promise, lost]);
  }

  private async relay(): Promise<void> {
    while (!this.stopping.signal.aborted && (await relayStages(this.pool)));
  }

  private tasks(): TaskList {
    return {
      [NOTIFICATION_TASK]: async (payload, { job }) => {
        const lastAttempt = job.attempts >= job.max_attempts;
        const command = { ...(payload as NotificationJob), lastAttempt };
        await reported(this.reports, command, job.attempts, () =>
          within(ATTEMPT_TIMEOUT_MS, this.stages.execute(command)),
        ).catch((error: Error) => {
          // The queue keeps and logs what a job failed with. A mail server's answer may quote an address: only the
          // class of the error goes there.
          throw new Error(failureName(error));
        });
      },
      [FORMER_PURGE_TASK]: () => Promise.resolve(),
    };
  }
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const over = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, over]).finally(() => done.abort());
}

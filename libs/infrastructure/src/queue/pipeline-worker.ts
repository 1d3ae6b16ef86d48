import { setTimeout as sleep } from 'node:timers/promises';
import { RunPipelineStage, within } from '@app/application';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { run, Logger as QueueLogger, type Runner, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import { recoverAbandonedJobs } from './abandoned-jobs.js';
import { failureName } from './failure-name.js';
import { PURGE_CRONTAB, PURGE_TASK, purgeIdempotencyKeys } from './idempotency-purge.js';
import { NOTIFICATION_TASK, type NotificationJob } from './postgres-order-pipeline.js';
import { queuePool } from './queue-pool.js';

const CONCURRENCY = 4;
const POLL_INTERVAL_MS = 2_000;
const RESTART_DELAY_MS = 1_000;
const RECOVERY_INTERVAL_MS = 10_000;

/** Levels of the queue's own messages that are worth a line. */
const LOUD: ReadonlySet<string> = new Set(['error', 'warning']);

/** No attempt takes longer: whoever holds a job for much longer than this is gone. */
const ATTEMPT_TIMEOUT_MS = 30_000;

// Without batches the queue notes the outcome of a job and does not wait for it: a stop overtakes the note, so the job
// stays locked for a minute, and a note that fails, because the database is away, ends the process as an unhandled
// rejection. Batches are waited for, and one that fails stops the runner, which is started again.
const OUTCOMES_ARE_AWAITED = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Works the queued stages of orders. Several of them, in as many processes, share the work safely. */
export class PipelineWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(PipelineWorker.name);
  private readonly pool: pg.Pool;
  private readonly stopping = new AbortController();
  private runner: Runner | null = null;
  private loops: Promise<unknown> = Promise.resolve();

  /** @param databaseUrl a direct connection: the queue listens for new jobs. */
  constructor(
    private readonly stages: RunPipelineStage,
    databaseUrl: string,
  ) {
    const onError = (error: Error) => this.logger.warn(`A connection broke: ${failureName(error)}`);
    this.pool = queuePool(databaseUrl, CONCURRENCY + 2, onError);
  }

  onApplicationBootstrap(): void {
    const work = this.repeatedly(RESTART_DELAY_MS, () => this.work());
    const recover = this.repeatedly(RECOVERY_INTERVAL_MS, () => recoverAbandonedJobs(this.pool));
    this.loops = Promise.all([work, recover]);
  }

  /** Claims no more jobs and waits for those that are running. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.runner?.stop().catch(() => undefined);
    await this.loops;
    await this.pool.end();
  }

  /** Until the shutdown, whatever fails: the database may go away and come back. */
  private async repeatedly(pauseMs: number, action: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await action().catch((error: Error) => this.logger.warn(`The queue is out of reach: ${failureName(error)}`));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves, or rejects, when the queue's runner gives up. */
  private async work(): Promise<void> {
    this.runner = await run({
      pgPool: this.pool,
      concurrency: CONCURRENCY,
      pollInterval: POLL_INTERVAL_MS,
      noHandleSignals: true,
      logger: new QueueLogger(() => (level, message) => {
        if (LOUD.has(level)) this.logger.warn(message.split('\n')[0]);
      }),
      taskList: this.tasks(),
      preset: OUTCOMES_ARE_AWAITED,
      crontab: PURGE_CRONTAB,
    });
    if (this.stopping.signal.aborted) await this.runner.stop().catch(() => undefined);
    await this.runner.promise;
  }

  private tasks(): TaskList {
    return {
      [NOTIFICATION_TASK]: async (payload, { job }) => {
        const lastAttempt = job.attempts >= job.max_attempts;
        const attempt = this.stages.execute({ ...(payload as NotificationJob), lastAttempt });
        await within(ATTEMPT_TIMEOUT_MS, attempt).catch((error: Error) => {
          // The queue keeps and logs what a job failed with. A mail server's answer may quote an address: only the
          // class of the error goes there.
          throw new Error(failureName(error));
        });
      },
      [PURGE_TASK]: () => purgeIdempotencyKeys(this.pool),
    };
  }
}

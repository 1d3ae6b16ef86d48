import { setTimeout as sleep } from 'node:timers/promises';
import { RunPipelineStage, within } from '@app/application';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Retention } from '../platform/config.js';
import { numberChanges, passChangeLog } from '../changes/number-changes.js';
import { purgeTombstones } from '../changes/purge-tombstones.js';
import { OutageLog } from '../platform/outage-log.js';
import { foldTallies } from '../postgres/fold-tallies.js';
import { discardSilentConnections } from '../postgres/silent-connections.js';
import { recoverAbandonedJobs } from './abandoned-jobs.js';
import { failureName } from '../orders/failure-name.js';
import { queuePool } from '../postgres/queue-pool.js';
import { LAST_WORDS_MS, runQueue } from './queue-runner.js';
import { reported, type Reports } from './reported-attempt.js';
import { purgeExpired } from './retention.js';
import { NOTIFICATION_TASK, relayStages, type NotificationJob } from './stage-relay.js';

const RESTART_DELAY_MS = 1_000;
/** The longest wait of a new order's notifications before a worker queues them. */
const RELAY_INTERVAL_MS = 250;
const RECOVERY_INTERVAL_MS = 10_000;
/** Not a job of the queue: retention must not wait for a backlog of mail. */
const RETENTION_INTERVAL_MS = 600_000;
const FOLD_INTERVAL_MS = 5_000;
/**
 * Readers number what waits for them. The worker keeps the log short, so it may let the changes of an order and of its
 * stages become one.
 */
const NUMBER_INTERVAL_MS = 1_000;

/** A worker whose relay has not run for longer is not at work. Longer than a database fail-over. */
const RELAY_OVERDUE_MS = 60_000;

/** No attempt takes longer: a worker that holds a job for much longer is gone. */
const ATTEMPT_TIMEOUT_MS = 30_000;

/** Longer than any attempt: a shutdown lets running jobs finish. */
const SHUTDOWN_MS = 35_000;

/** Each job needs one for a few milliseconds, to be claimed and completed, but not while it sends mail. One listens. */
const MOST_RUNNER_CONNECTIONS = 8;

/** The operator's settings, part of the configuration. */
export interface WorkerSettings {
  /** Stages that run at the same time. */
  readonly workerConcurrency: number;
  /** How long expiring rows are kept. */
  readonly retention: Retention;
}

/** Runs the queued stages of orders. Workers in several processes share them safely. */
export class PipelineWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(PipelineWorker.name);
  private readonly outage = new OutageLog('The queue', (line) => this.logger.warn(line));
  private readonly brokenConnections = new OutageLog('Broken connections', (line) => this.logger.warn(line));
  /** For everything but the runner. */
  private readonly pool: pg.Pool;
  private readonly stopping = new AbortController();
  private relayedAt: number | null = null;
  private loops: Promise<unknown> = Promise.resolve();

  /**
   * @param databaseUrl a direct connection: the queue listens for new jobs.
   */
  constructor(
    private readonly stages: RunPipelineStage,
    private readonly databaseUrl: string,
    private readonly settings: WorkerSettings,
    private readonly reports: Reports,
  ) {
    this.pool = this.openPool(2);
    discardSilentConnections(this.pool);
  }

  /** Whether the relay ran within the last minute, or not yet: the start may wait for the database. */
  get isAtWork(): boolean {
    return this.relayedAt === null || performance.now() - this.relayedAt < RELAY_OVERDUE_MS;
  }

  onApplicationBootstrap(): void {
    this.loops = Promise.all([
      this.repeatedly(RESTART_DELAY_MS, () => this.work()),
      this.repeatedly(RECOVERY_INTERVAL_MS, () => recoverAbandonedJobs(this.pool)),
      this.repeatedly(RELAY_INTERVAL_MS, () => this.relay()),
      this.repeatedly(RETENTION_INTERVAL_MS, () => purgeExpired(this.pool, this.settings.retention)),
      this.repeatedly(RETENTION_INTERVAL_MS, () => purgeTombstones(this.pool)),
      this.repeatedly(FOLD_INTERVAL_MS, () => foldTallies(this.pool)),
      this.repeatedly(FOLD_INTERVAL_MS, () => passChangeLog(this.pool)),
      this.repeatedly(NUMBER_INTERVAL_MS, () => numberChanges(this.pool, this.stopping.signal)),
    ]);
  }

  /** Claims no more jobs and waits for those that are running. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await atMost(SHUTDOWN_MS, this.loops);
    await atMost(LAST_WORDS_MS, this.pool.end());
  }

  private openPool(size: number): pg.Pool {
    return queuePool(this.databaseUrl, size, (error) => {
      this.brokenConnections.note(`A connection broke: ${failureName(error)}`);
    });
  }

  /** Repeats until shutdown, even after failures: the database may go away and come back. */
  private async repeatedly(pauseMs: number, action: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await action().catch((error: Error) => this.outage.note(`The queue is out of reach: ${failureName(error)}`));
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves, or rejects, when the queue's runner gives up. */
  private async work(): Promise<void> {
    const { logger } = this;
    const concurrency = this.settings.workerConcurrency;
    const pool = this.openPool(Math.min(concurrency, MOST_RUNNER_CONNECTIONS) + 1);
    try {
      await runQueue(pool, { concurrency, logger, tasks: this.tasks(), stopping: this.stopping.signal });
    } finally {
      const ended = atMost(LAST_WORDS_MS, pool.end());
      if (this.stopping.signal.aborted) await ended;
    }
  }

  private async relay(): Promise<void> {
    while (!this.stopping.signal.aborted && (await relayStages(this.pool)));
    this.relayedAt = performance.now();
  }

  private tasks(): TaskList {
    return {
      [NOTIFICATION_TASK]: async (payload, { job }) => {
        const lastAttempt = job.attempts >= job.max_attempts;
        const command = { ...(payload as NotificationJob), lastAttempt };
        await reported(this.reports, command, job.attempts, () =>
          within(ATTEMPT_TIMEOUT_MS, this.stages.execute(command)),
        ).catch((error: Error) => {
          // The queue stores and logs the error of a job. A mail server's answer may quote an address, so the queue
          // gets only the error's class.
          throw new Error(failureName(error));
        });
      },
    };
  }
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const over = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, over]).finally(() => done.abort());
}

import { hasFailedTooLong, retryDelayMs } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { MAX_WEBHOOK_READS, MAX_WEBHOOK_READS_OF_STORE } from '../capacity.js';
import { CursorExpired } from '../feed/cursor-errors.js';
import { FeedService, type ChangesPage } from '../feed/feed.service.js';
import type { ChangedResource, FeedPosition } from '../ports/change-feed.js';
import { MAX_LIMIT } from '../ports/page.js';
import { RecordFormat } from '../ports/record-format.js';
import type { Delivery } from '../ports/webhook.repository.js';
import { WebhookQueue, type ClaimedWebhook, type WebhookOutcome } from '../ports/webhook-queue.js';
import { WebhookSender, type Attempt, type Receiver } from '../ports/webhook-sender.js';
import { Semaphore } from '../semaphore.js';
import { changesMessage, signedHeaders, testMessage, type WebhookMessage } from './webhook-message.js';

/**
 * Changes are read ahead. When a page is older than this, it is read again, so that a message has the state at the time
 * of its delivery.
 */
const MAX_PAGE_AGE_MS = 1_000;
/** After this time, another webhook gets the slot. */
const SLOT_WAIT_MS = 30_000;
/** A claim lasts 30 s from the last record, and an attempt 20 s. */
const LATEST_START_MS = 8_000;
const GONE = 410;
/** A receiver that takes longer has its record written before the next message. */
const FAST_DELIVERY_MS = 100;

/** Sends each webhook the changes after its position, in the sequence of the feed, one message at a time. */
@Injectable()
export class DeliverWebhooks {
  private readonly reads = new Semaphore(() => MAX_WEBHOOK_READS, Infinity, MAX_WEBHOOK_READS_OF_STORE, Infinity);

  constructor(
    private readonly queue: WebhookQueue,
    private readonly feed: FeedService,
    private readonly sender: WebhookSender,
    private readonly format: RecordFormat,
  ) {}

  claim(most: number, busy: ReadonlyMap<string, number>): Promise<ClaimedWebhook[]> {
    return this.queue.claim(most, busy);
  }

  /**
   * Serves a claimed webhook until nothing is left to send, an attempt fails, its time is over, or it is changed.
   * Throws when the database fails: a claim that cannot be released expires.
   */
  async execute(
    claimed: ClaimedWebhook,
    stopping: AbortSignal,
    onAttempt: (attempt: Attempt) => void = () => undefined,
  ): Promise<void> {
    const receiver = this.sender.open(claimed.url);
    const run = new DeliveryRun(claimed, this.queue, receiver, onAttempt);
    try {
      let goesOn = true;
      if (claimed.isTestDue) {
        goesOn = await run.record({ kind: 'tested' }, await run.send(testMessage(claimed, new Date())));
      }
      if (goesOn && claimed.isActive) await this.sendChanges(run, stopping);
      await run.recorded;
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof CursorExpired)) throw error;
      await run.record({ kind: 'paused', reason: 'cursor_expired' }, null);
    } finally {
      receiver.close();
      // The release must follow the last record, which prolongs the claim.
      await run.recorded.catch(() => false);
      await this.queue.release(claimed);
    }
  }

  private async sendChanges(run: DeliveryRun, stopping: AbortSignal): Promise<void> {
    const { claimed } = run;
    let { feedPosition } = claimed;
    while (!stopping.aborted && !run.isOver) {
      const page = await this.read(run, feedPosition, stopping);
      if (page === null) return;
      const readAt = performance.now();
      for (let sent = 0; sent < page.changes.length;) {
        if (stopping.aborted || run.isOver || performance.now() - readAt > MAX_PAGE_AGE_MS) break;
        const batch = page.changes.slice(sent, sent + claimed.batch);
        sent += batch.length;
        const reached = positionAfter(claimed, batch, sent, page);
        const attempt = await run.send(this.messageOf(claimed, batch, reached));
        const outcome = run.outcomeOf(attempt, reached);
        if (!(await run.record(outcome, attempt)) || outcome.kind !== 'moved') return;
        feedPosition = reached;
      }
      // The position also moves past changes of kinds to which the webhook has not subscribed.
      if (page.changes.length === 0 && (page.rewound || page.next.position > feedPosition.position)) {
        feedPosition = positionAfter(claimed, [], 0, page);
        if (!(await run.record({ kind: 'moved', feedPosition }, null))) return;
      }
      if (!page.hasMore && feedPosition.position >= page.next.position) return;
    }
  }

  /** @returns null when the time of the run is over before its turn to read: the page would be too late for a message. */
  private read(run: DeliveryRun, after: FeedPosition, stopping: AbortSignal): Promise<ChangesPage | null> {
    const { storeId, kinds, mode, body, batch } = run.claimed;
    // Full records are read only for the next message.
    const limit = body === 'full' ? batch : MAX_LIMIT;
    const query = { kinds, isTest: mode === 'test', after, limit, bulk: true };
    return this.reads.run(storeId, async () => (run.isOver ? null : this.feed.read(storeId, query, stopping)));
  }

  private messageOf(
    claimed: ClaimedWebhook,
    changes: readonly ChangedResource[],
    feedPosition: FeedPosition,
  ): WebhookMessage {
    const { body, currency } = claimed;
    const withData = changes.map((change) => ({
      ...change,
      data: body === 'full' ? this.format.format(change, currency) : null,
    }));
    return changesMessage(claimed, withData, feedPosition);
  }
}

class DeliveryRun {
  private readonly end = performance.now() + SLOT_WAIT_MS;
  private renewedAt: number;
  private failures: number;
  private failingForMs: number;
  recorded = Promise.resolve(true);

  constructor(
    readonly claimed: ClaimedWebhook,
    private readonly queue: WebhookQueue,
    private readonly receiver: Receiver,
    private readonly onAttempt: (attempt: Attempt) => void,
  ) {
    this.renewedAt = claimed.claimedAt;
    this.failures = claimed.failures;
    this.failingForMs = claimed.failingForMs;
  }

  get isOver(): boolean {
    const now = performance.now();
    return now > this.end || now - this.renewedAt > LATEST_START_MS;
  }

  /**
   * Starts a record. For a swift receiver, it runs in parallel with the next message; a kill repeats both. Otherwise it
   * ends first, so that a webhook that is paused, deleted or rotated during an attempt sends nothing more.
   * @returns false when nothing more may be sent: the webhook was changed, another worker has its claim, or its store
   * is moving.
   */
  async record(outcome: WebhookOutcome, delivery: Delivery | null): Promise<boolean> {
    const goesOn = await this.recorded;
    const begunAt = performance.now();
    this.recorded = this.queue.record(this.claimed, outcome, delivery).then((isHeld) => {
      if (isHeld) this.renewedAt = begunAt;
      return isHeld;
    });
    if (!goesOn || delivery === null || delivery.durationMs > FAST_DELIVERY_MS) return this.recorded;
    // The next `await` receives the error.
    this.recorded.catch(() => undefined);
    return true;
  }

  async send(message: WebhookMessage): Promise<Attempt & Delivery> {
    const { headers, secrets } = this.claimed;
    const signed = signedHeaders(message, new Date(), secrets);
    const attempt = await this.receiver.post({ ...headers, ...signed }, message.body);
    this.onAttempt(attempt);
    return { ...attempt, messageId: message.id, type: message.type };
  }

  outcomeOf({ status, retryAfterMs }: Attempt, reached: FeedPosition): WebhookOutcome {
    // @protects accepted-message
    if (status !== null && status >= 200 && status < 300) {
      this.failures = this.failingForMs = 0;
      return { kind: 'moved', feedPosition: reached };
    }
    if (status === GONE) return { kind: 'paused', reason: 'gone' };
    if (hasFailedTooLong(this.failingForMs)) return { kind: 'paused', reason: 'failing' };
    return { kind: 'failed', delayMs: retryDelayMs(this.failures + 1, retryAfterMs, Math.random()) };
  }
}

function positionAfter(
  { feedPosition: { branch }, movedUpTo }: ClaimedWebhook,
  batch: readonly ChangedResource[],
  sent: number,
  { changes, next }: ChangesPage,
): FeedPosition {
  const last = batch.at(-1);
  const reached = last && sent < changes.length ? { ...next, position: last.position } : next;
  if ((last ?? reached).position > movedUpTo) return reached;
  // The cluster that the store has left may have sent this message: here it gets the same id and cursor.
  return { ...reached, branch, position: Math.min(reached.position, movedUpTo) };
}

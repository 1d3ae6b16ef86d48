import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from '@app/application';
import type { Database } from '../postgres/database.js';

const FIND = `/* stages.notified */
  SELECT notified FROM order_stages WHERE store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4`;

// Also holds when the queue has meanwhile given up the attempt.
const RECORD = `/* stages.channel_notified */
  UPDATE order_stages SET notified = array_append(notified, $5)
  WHERE store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4 AND NOT $5 = ANY (notified) AND is_writable($1)`;

/**
 * Notifies through several channels at the same time, and records each success. When one fails, the next attempt of the
 * stage, in any process, uses only the channels without a record.
 */
export class NotificationChannels extends Notifier {
  constructor(
    private readonly database: Database,
    private readonly channels: ReadonlyMap<string, Notifier>,
  ) {
    super();
  }

  override async notify(
    stage: NotificationStage,
    order: OrderRecord,
    store: StoreProfile,
    reference = '',
  ): Promise<boolean> {
    const key = [store.id, order.id, stage, reference];
    const [row] = await this.database.queryPrepared<{ notified: readonly string[] }>(FIND, key);
    const missing = [...this.channels].filter(([name]) => !row?.notified.includes(name));
    const attempts = await Promise.allSettled(
      missing.map(async ([name, channel]) => {
        const isSent = await channel.notify(stage, order, store, reference);
        await this.database.queryPrepared(RECORD, [...key, name]);
        return isSent;
      }),
    );
    const errors = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [errorOf(attempt.reason)] : []));
    const error = errors.find((each) => !(each instanceof UndeliverableMessage)) ?? errors[0];
    if (error) throw error;
    const notified = row?.notified.length ?? 0;
    return notified > 0 || attempts.some((attempt) => attempt.status === 'fulfilled' && attempt.value);
  }
}

/** The queue records the class of a failure, but a channel may reject with any value. */
function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The channel gave no error');
}

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

// True also when the queue has given up the attempt before.
const RECORD = `/* stages.channel_notified */
  UPDATE order_stages SET notified = array_append(notified, $5)
  WHERE store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4 AND NOT $5 = ANY (notified) AND is_home($1)`;

/**
 * Notifies by several channels at the same time, and records each that succeeds. When one fails, the next attempt of the
 * stage, in any process, goes only to those without a record.
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
  ): Promise<void> {
    const key = [store.id, order.id, stage, reference];
    const [row] = await this.database.queryPrepared<{ notified: readonly string[] }>(FIND, key);
    const missing = [...this.channels].filter(([name]) => !row?.notified.includes(name));
    const attempts = await Promise.allSettled(
      missing.map(async ([name, channel]) => {
        await channel.notify(stage, order, store, reference);
        await this.database.queryPrepared(RECORD, [...key, name]);
      }),
    );
    const errors = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as Error] : []));
    const error = errors.find((each) => !(each instanceof UndeliverableMessage)) ?? errors[0];
    if (error) throw error;
  }
}

import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from '@app/application';

/** Below the 30 s limit of an attempt. */
const TIMEOUT_MS = 10_000;

/** Notifies another system of an order. It may do so twice, with the same id. */
export class WebhookNotifier extends Notifier {
  constructor(private readonly url: string) {
    super();
  }

  override async notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${order.id}-${stage}` },
      body: JSON.stringify({ stage, store: store.subdomain, order: order.id, receipt: order.receiptNumber }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    if (response.ok) return;
    // A fault in the message itself is permanent; everything else is retried, for days if necessary.
    if (response.status === 400 || response.status === 410) throw new RefusedByWebhook();
    throw Object.assign(new Error('The webhook did not accept the message'), { code: `HTTP_${response.status}` });
  }
}

class RefusedByWebhook extends UndeliverableMessage {
  readonly code = 'HTTP_REFUSED';
}

/**
 * Combines several channels. When some of them fail, the next attempt goes only to those, as long as this process
 * lives. After a restart it goes to all: each channel must tolerate a repetition.
 */
export class Channels extends Notifier {
  private readonly told = new Map<string, Set<Notifier>>();

  constructor(private readonly channels: readonly Notifier[]) {
    super();
  }

  override async notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void> {
    const message = `${order.id}-${stage}`;
    const told = this.told.get(message) ?? new Set();
    this.told.set(message, told);
    const failures: Error[] = [];
    for (const channel of this.channels.filter((each) => !told.has(each))) {
      await channel.notify(stage, order, store).then(
        () => told.add(channel),
        (error: Error) => failures.push(error),
      );
    }
    // A retryable failure takes precedence: a stage is given up only when every failed channel is hopeless.
    const error = failures.find((failure) => !(failure instanceof UndeliverableMessage)) ?? failures[0];
    if (error === undefined || error instanceof UndeliverableMessage) this.told.delete(message);
    if (error !== undefined) throw error;
  }
}

import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from '@app/application';

/** Below the 30 s that an attempt may take. */
const TIMEOUT_MS = 10_000;

/** Tells another system of an order. It may be told twice: the id is the same then. */
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
    // What is wrong with the message itself stays wrong; everything else is tried again, for days if need be.
    if (response.status === 400 || response.status === 410) throw new RefusedByWebhook();
    throw Object.assign(new Error('The webhook did not take it'), { code: `HTTP_${response.status}` });
  }
}

class RefusedByWebhook extends UndeliverableMessage {
  readonly code = 'HTTP_REFUSED';
}

/**
 * Several channels as one. When some of them fail, the next attempt goes to those alone, as long as this process lives;
 * after that, once more to all: each must bear a repetition.
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
    // What can be tried again decides: a stage is given up when nothing but hopeless channels are left.
    const error = failures.find((failure) => !(failure instanceof UndeliverableMessage)) ?? failures[0];
    if (error === undefined || error instanceof UndeliverableMessage) this.told.delete(message);
    if (error !== undefined) throw error;
  }
}

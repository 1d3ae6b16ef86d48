import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from '@app/application';

class UnusableAddress extends UndeliverableMessage {
  readonly code = 'EADDRESS';
}

export interface InMemoryMessage {
  /** Equal for all attempts at a stage and reference of an order. */
  readonly id: string;
  readonly to: string;
}

/** Keeps the messages that a real adapter would send. */
export class InMemoryNotifier extends Notifier {
  readonly messages: InMemoryMessage[] = [];
  /** The error of every attempt while it is set. */
  failure: Error | null = null;

  override notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile, reference: string): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    const { email } = store.contact as { email?: string };
    const to = stage === 'notify-merchant' ? (email ?? '') : order.customer.email;
    if (to === '') return Promise.resolve();
    if (!/^[\w.+-]+@[\w.-]+$/.test(to)) {
      return Promise.reject(new UnusableAddress());
    }
    const name = [order.id, stage, ...(reference === '' ? [] : [reference])].join('-');
    this.messages.push({ id: `${name}@${store.subdomain}.store-commerce`, to });
    return Promise.resolve();
  }
}

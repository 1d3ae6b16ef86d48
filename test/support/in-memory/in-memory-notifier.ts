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
  /** The same whenever the stage of the order is notified. */
  readonly id: string;
  readonly to: string;
}

/** Keeps what would be sent. */
export class InMemoryNotifier extends Notifier {
  readonly messages: InMemoryMessage[] = [];
  /** What every attempt fails with, while it is set. */
  failure: Error | null = null;

  override notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    const { email } = store.contact as { email?: string };
    const to = stage === 'notify-customer' ? order.customer.email : (email ?? '');
    if (to === '') return Promise.resolve();
    if (!/^[\w.+-]+@[\w.-]+$/.test(to)) {
      return Promise.reject(new UnusableAddress());
    }
    this.messages.push({ id: `${order.id}-${stage}@${store.subdomain}.store-commerce`, to });
    return Promise.resolve();
  }
}

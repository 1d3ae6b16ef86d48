import { MailPending, MailWithoutAddress, OrderCancelled, OrderHeld } from './change-errors.js';
import { NotFound } from '../shared/request-errors.js';
import type { MailOfOrder, OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

/**
 * Retries a dead mail, or sends a sent one again. @throws NotFound, OrderHeld, MailPending, MailWithoutAddress,
 * OrderCancelled
 */
export function repeatMail(order: PlacedOrder, { stage, reference }: MailOfOrder): OrderChange {
  const mail = order.state.mails.find((known) => known.stage === stage && known.reference === reference);
  if (!mail) throw new NotFound('Mail');
  if (mail.state === 'pending') throw new MailPending();
  if (stage !== 'notify-merchant' && order.state.contact.customer.email === '') throw new MailWithoutAddress();
  if (stage === 'notify-customer' && order.isCancelled) throw new OrderCancelled();
  if (stage === 'notify-customer' && order.isHeld) throw new OrderHeld();
  const requested = orderEvent('mail_requested', reference, { stage });
  return { ...order.unchanged(), events: [requested], effects: [{ kind: 'repeatedMail', stage, reference }] };
}

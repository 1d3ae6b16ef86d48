import type { NotificationStage, OrderRecord, StoreProfile } from '@app/application';
import { CUSTOMER_MAILS, type CustomerMail } from './customer-mails.js';
import { UnusableAddress } from './mail-failure.js';
import { mailbox, type Mailbox } from '../platform/mailbox.js';
import { orderFacts, type OrderFacts } from './order-facts.js';
import { addressSections, htmlOf, textOf, type Letter } from './order-letter.js';
import { storeBranding, type StoreBranding } from './store-branding.js';

export interface OrderMail {
  readonly to: Mailbox;
  readonly replyTo: Mailbox | null;
  /** The sender's display name; null means the service's own. */
  readonly sentAs: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Returns the message of a stage. Returns null when the recipient has no address, when the store has turned the message
 * off, or when its shipment is void.
 * @param reference the shipment or refund that the stage is about.
 * @throws UnusableAddress when there is an address but mail cannot be sent to exactly that one.
 */
export function orderMail(
  stage: NotificationStage,
  order: OrderRecord,
  store: StoreProfile,
  reference = '',
): OrderMail | null {
  const facts = orderFacts(order, store.timeZone);
  const brand = storeBranding(store);
  const customer = mailbox(order.customer.email, facts.customerName);
  const merchant = mailbox(brand.email, brand.name);
  const mark = facts.isTest ? '[TEST] ' : '';
  if (stage === 'notify-merchant') {
    if (brand.email === '') return null;
    if (!merchant) throw new UnusableAddress();
    const subject = `${mark}${facts.review ? 'Order to review' : 'New order'} ${facts.receipt}`;
    return { to: merchant, replyTo: customer, sentAs: null, subject, ...bodies(notice(facts, brand)) };
  }
  if (order.customer.email.trim() === '' || isOff(stage, store)) return null;
  const news = CUSTOMER_MAILS[stage]({ order, facts, shop: brand.name, reference });
  if (!news) return null;
  if (!customer) throw new UnusableAddress();
  const subject = `${mark}${news.subject}`;
  return { to: customer, replyTo: merchant, sentAs: brand.name, subject, ...bodies(letterOf(news, facts, brand)) };
}

function isOff(stage: NotificationStage, { ecommerceSettings }: StoreProfile): boolean {
  const settings = ecommerceSettings as { readonly notifications?: Readonly<Record<string, unknown>> | null } | null;
  return stage !== 'notify-customer' && settings?.notifications?.[stage.replace('notify-', '')] === false;
}

function bodies(letter: Letter): { text: string; html: string } {
  return { text: textOf(letter), html: htmlOf(letter) };
}

function letterOf({ intro, hasPrices, sections }: CustomerMail, order: OrderFacts, store: StoreBranding): Letter {
  return {
    order,
    store,
    notices: order.isTest ? ['[TEST] This is a test order. Nothing will be delivered or charged.'] : [],
    intro: [`Hello ${order.customerName}`.trim() + ',', ...intro],
    hasPrices,
    sections,
  };
}

function notice(order: OrderFacts, store: StoreBranding): Letter {
  const review = order.review && [
    'This order is under review. Check it before it ships; the customer has not received a confirmation yet.',
    `Reasons: ${order.review.join(', ') || 'none given'}`,
  ];
  const contact = [order.customerName, order.customerEmail, order.customerPhone].filter((line) => line !== '');
  return {
    order,
    store,
    notices: [...(order.isTest ? ['[TEST] This is a test order, placed with a test key.'] : []), ...(review ?? [])],
    intro: [`${order.customerName || 'A customer'} placed an order at ${store.name}:`],
    hasPrices: true,
    sections: [
      { title: 'Customer', lines: contact },
      ...addressSections(order),
      { title: 'Notes', lines: order.notes },
    ],
  };
}

import type { NotificationStage, OrderRecord } from '@app/application';
import { ledgerOf, sumOf, type LineQuantity } from '@app/domain';
import { oneLine } from '../platform/plain-text.js';
import { moneyFormat, unitsOf, type OrderFacts } from './order-facts.js';
import { addressSections, type Letter } from './order-letter.js';
import { webAddress } from './store-branding.js';

export interface CustomerMail extends Pick<Letter, 'intro' | 'hasPrices' | 'sections'> {
  readonly subject: string;
}

interface Topic {
  readonly order: OrderRecord;
  readonly facts: OrderFacts;
  readonly shop: string;
  readonly reference: string;
}

/** Returns the news of each stage, or null when there is nothing left to report. */
export const CUSTOMER_MAILS: Readonly<
  Record<Exclude<NotificationStage, 'notify-merchant'>, (topic: Topic) => CustomerMail | null>
> = {
  'notify-customer': confirmation,
  'notify-shipment': shipmentMail,
  'notify-cancellation': cancellationMail,
  'notify-refund': refundMail,
};

/** Excludes the customer's notes: otherwise an order could make the store mail any text to any address. */
function confirmation({ facts, shop }: Topic): CustomerMail {
  return {
    subject: `Your order ${facts.receipt} at ${shop}`,
    intro: [`thank you for your order at ${shop}. We have received it:`],
    hasPrices: true,
    sections: addressSections(facts),
  };
}

function shipmentMail({ order, facts, shop, reference }: Topic): CustomerMail | null {
  const shipment = order.shipments.find((one) => one.reference === reference);
  if (!shipment || shipment.status === 'void') return null;
  const { items, carrier, trackingNumber, trackingUrl } = shipment;
  const kept = order.lines.map((line) => ({ ...line, quantity: line.quantity - line.cancelledQuantity }));
  const isPart = unitCount(items) < unitCount(kept);
  const open = kept.map(({ line, quantity, shippedQuantity }) => ({ line, quantity: quantity - shippedQuantity }));
  const cancelled = order.lines.map(({ line, cancelledQuantity }) => ({ line, quantity: cancelledQuantity }));
  const tracking = [
    carrier && `Carrier: ${oneLine(carrier)}`,
    trackingNumber && `Tracking number: ${oneLine(trackingNumber)}`,
  ];
  return {
    subject: `${isPart ? 'Part of your' : 'Your'} order ${facts.receipt} at ${shop} has shipped`,
    intro: [`${isPart ? 'part of your' : 'your'} order at ${shop} has shipped.`],
    sections: [
      { title: 'In this shipment', lines: unitsIn(facts, items) },
      { title: 'Tracking', lines: tracking.filter((line) => line !== ''), link: webAddress(trackingUrl) },
      { title: 'Not shipped yet', lines: unitsIn(facts, open) },
      { title: 'Cancelled', lines: unitsIn(facts, cancelled) },
      ...addressSections(facts),
    ],
  };
}

/** Excludes the reason, which is only for the history. */
function cancellationMail({ order, facts, shop }: Topic): CustomerMail {
  const money = moneyFormat(order.currency);
  const { refundDue: due, owed, open } = ledgerOf(order);
  const refunded = sumOf(order.refunds);
  return {
    subject: `Your order ${facts.receipt} at ${shop} was cancelled`,
    intro: [
      `your order at ${shop} was cancelled.`,
      ...(refunded > 0 ? [`We have refunded ${money(refunded)}.`] : []),
      ...(owed > 0 ? [`The cancellation fee is ${money(owed)}.`] : []),
      ...(due > 0 ? [`We will refund ${money(due)}.`] : []),
      ...(open > 0 ? [`Please pay ${money(open)}.`] : []),
    ],
    sections: [{ title: 'Cancelled', lines: unitsIn(facts, order.lines) }],
  };
}

function refundMail({ order, facts, shop, reference }: Topic): CustomerMail | null {
  const refund = order.refunds.find((one) => one.reference === reference);
  if (!refund) return null;
  const amount = moneyFormat(order.currency)(refund.amount);
  return {
    subject: `Refund for your order ${facts.receipt} at ${shop}`,
    intro: [`we have refunded ${amount} for your order at ${shop}.`],
    sections: [],
  };
}

function unitCount(lines: readonly LineQuantity[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}

function unitsIn({ lines }: OrderFacts, quantities: readonly LineQuantity[]): string[] {
  return quantities.flatMap(({ line, quantity }) => {
    const facts = lines[line - 1];
    return facts && quantity > 0 ? [unitsOf(facts, quantity)] : [];
  });
}

import { readMail } from '../../support/mail-message.js';
import type { ReceivedMail } from '../../support/smtp-sink.js';
import { messageIdOf } from '../support/oracle/pipeline.js';
import { isActive, type OrderAnswer } from './order-answer.js';
import type { EventAnswer } from './replay.js';

/** The mail of a shipment, up to what changes with other shipments. */
const CONTENT = /In this shipment([\s\S]*?)(?:Tracking|Still to come|Delivery address)/;

/**
 * One mail for each shipment that became shipped with notify, and none for another. A shipment that became void may have
 * none.
 *
 * @param silent references of shipments that the customer gets no mail about.
 */
export function shipmentMailViolations(
  order: OrderAnswer,
  events: readonly EventAnswer[],
  silent: ReadonlySet<string>,
  mails: ReadonlyMap<string, readonly ReceivedMail[]>,
  subdomain: string,
): string[] {
  const queued = order.pipeline.filter(({ stage }) => stage === 'notify-shipment').map(({ reference }) => reference);
  const strange = queued.filter((reference) => !order.shipments.some((shipment) => shipment.reference === reference));
  const found = order.shipments.flatMap((shipment) => {
    const { reference } = shipment;
    const id = messageIdOf({ order_id: order.id, stage: 'notify-shipment', reference }, subdomain);
    const arrived = mails.get(id) ?? [];
    const wasShipped = events.some(
      (event) =>
        event.reference === reference && (event.details['to'] === 'shipped' || event.details['status'] === 'shipped'),
    );
    const isExpected = wasShipped && !silent.has(reference);
    const contents = new Set(arrived.map(({ raw }) => CONTENT.exec(readMail(raw).parts.get('text/plain') ?? '')?.[1]));
    return [
      ...(isExpected && isActive(shipment) && arrived.length === 0 ? [`no mail of shipment ${reference} arrived`] : []),
      ...(!isExpected && (queued.includes(reference) || arrived.length > 0)
        ? [`a mail of shipment ${reference} should not exist`]
        : []),
      ...(contents.size > 1 || contents.has(undefined) ? [`the mails of shipment ${reference} differ`] : []),
    ];
  });
  return [...found, ...strange.map((reference) => `a mail of ${reference} is queued, which is no shipment`)];
}

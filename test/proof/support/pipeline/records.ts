import { messageIdOf } from '../oracle/pipeline.js';
import { canSucceed, SHIPMENT, type Scene } from './scene.js';

/**
 * Counts the mails from the clients' side: two per acknowledged order and one per shipment, except undeliverable ones. Also counts attempts:
 * one sends a mail at most twice, the second time when a reused connection breaks.
 */
export async function countViolations({ watch, orders, shipped, sink, store }: Scene): Promise<string[]> {
  // Workers on a shared database also send the mails of other stores' orders, once those are screened again.
  const own = `@${store.subdomain}.store-commerce`;
  const arrived = new Map([...sink.countsByMessageId].filter(([id]) => id.endsWith(own)));
  const violations: string[] = [];
  const expected = [
    ...orders.flatMap((order) =>
      ['notify-customer', 'notify-merchant']
        .filter((stage) => order.kind !== 'poison' || canSucceed(order, stage))
        .map((stage) => ({ order_id: order.id, stage, reference: '' })),
    ),
    ...shipped.map((order_id) => ({ order_id, stage: 'notify-shipment', reference: SHIPMENT })),
  ].map((stage) => messageIdOf(stage, store.subdomain));
  const missing = expected.filter((id) => !arrived.has(id));
  if (missing.length > 0) violations.push(`${missing.length} mails never arrived: ${missing.slice(0, 5).join()}`);
  if (arrived.size !== expected.length) violations.push(`${arrived.size} mails arrived, not ${expected.length}`);
  for (const row of await watch.stages()) {
    const { order_id, stage, attempts } = row;
    const count = arrived.get(messageIdOf(row, store.subdomain)) ?? 0;
    if (attempts * 2 < count) violations.push(`${stage} of ${order_id} arrived ${count} × in ${attempts} attempts`);
  }
  return violations;
}

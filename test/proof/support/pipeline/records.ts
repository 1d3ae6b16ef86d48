import { messageIdOf } from '../oracle/pipeline.js';
import { canSucceed, SHIPMENT, type Scene } from './scene.js';

interface Told {
  readonly stage: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
}

/** Whether each order's full record agrees with the pipeline's rows, on every process. */
export async function recordViolations({ watch, orders, buyers, services, context }: Scene): Promise<string[]> {
  const rows = await watch.stages();
  const violations: string[] = [];
  for (const { id } of orders) {
    const service = services[context.random(services.length)] ?? { url: '' };
    const answer = await buyers.send(service, { method: 'GET', path: `/v1/orders/${id}` });
    const { data } = JSON.parse(answer.bytes.toString()) as { data: { pipeline: Told[] } };
    const told = data.pipeline.filter(({ stage }) => stage.startsWith('notify-')).map(said);
    const kept = rows.filter(({ order_id }) => order_id === id).map(said);
    if (told.sort().join() !== kept.sort().join()) {
      violations.push(`order ${id} reports ${told.join()}, its rows ${kept.join()}`);
    }
  }
  return violations;
}

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

function said({ stage, reference, state, attempts, last_error }: Told): string {
  return `${stage} ${reference} ${state} ${attempts} ${last_error}`;
}

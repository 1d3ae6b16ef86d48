import { dataOf, type Exchange } from '../support/history.js';
import { anyItem, type Shop } from '../support/shop.js';
import { inParallel, oneOf, orderBody } from '../support/store-setup.js';
import { SLOW } from './slow-commits.js';

const AT_ONCE = 4;
/** The share of concurrent requests with the same reference that lose their first answer: one in this many. */
const LOST_ANSWER_INTERVAL = 5;

interface Tally {
  readonly violations: string[];
  refused: number;
  lost: number;
}

/** Expects that one order is placed, and that every other request learns its id once the order can be read. */
export async function raceReferences(shop: Shop, references: number, twins: number): Promise<Tally> {
  const tally: Tally = { violations: [], refused: 0, lost: 0 };
  const names = Array.from({ length: references }, (_, n) => `${n % 2 === 0 ? SLOW : 'fast'}-reference-${n}`);
  await inParallel(AT_ONCE, names, (reference) => raceForReference(shop, reference, twins, tally));
  return tally;
}

async function raceForReference(shop: Shop, reference: string, twins: number, tally: Tally): Promise<void> {
  const answers = await Promise.all(Array.from({ length: twins }, (_, n) => sendTwin(shop, reference, n, tally)));
  const { context, store, buyers, services } = shop;
  const orders = await context.rig.database.query<{ id: string }>(
    'SELECT id FROM orders WHERE store_id = $1 AND external_reference = $2',
    [store.id, reference],
  );
  const [{ id } = { id: '' }] = orders;
  if (orders.length !== 1) tally.violations.push(`reference ${reference} has ${orders.length} orders`);
  for (const answer of answers) {
    const [named, told] = [orderNamedBy(answer), `${answer.status} ${String(answer.headers['x-error-code'] ?? '')}`];
    if (named !== id) tally.violations.push(`reference ${reference}: answered ${told}, names ${named} and not ${id}`);
  }
  for (const service of services) {
    const path = `/v1/orders?external_reference=${reference}`;
    const listed = dataOf<{ id: string }[]>(await buyers.send(service, { method: 'GET', path }));
    const found = listed.map((order) => order.id).join();
    if (found !== id) tally.violations.push(`reference ${reference}: the list has ${found}, not ${id}`);
  }
}

async function sendTwin(shop: Shop, reference: string, n: number, tally: Tally): Promise<Exchange> {
  const { buyers, services, context } = shop;
  const { random } = context;
  const body = { ...orderBody([anyItem(shop)], reference), external_reference: reference };
  const key = n % 2 === 0 ? null : `${reference}-${n}`;
  if (n % LOST_ANSWER_INTERVAL === 0) {
    const { status } = await buyers.send(oneOf(services, random), { body, key, timeoutMs: 1 + random(100) });
    if (status === null) tally.lost++;
  }
  const answer = await buyers.insist(services, body, { key });
  if (answer.status !== 422) return answer;
  tally.refused++;
  // A refusal before the commit of the other order would name an order that cannot be read yet.
  const path = `/v1/orders/${String(answer.headers['x-existing-order'])}`;
  const read = await buyers.send(oneOf(services, random), { method: 'GET', path });
  if (read.status !== 200) tally.violations.push(`reference ${reference}: ${path} is answered ${read.status}`);
  return answer;
}

function orderNamedBy(answer: Exchange): string {
  const { status, headers } = answer;
  if (status === 201) return dataOf<{ order_id: string }>(answer).order_id;
  const isTaken = status === 422 && headers['x-error-code'] === 'external_reference_taken';
  return isTaken ? String(headers['x-existing-order']) : '';
}

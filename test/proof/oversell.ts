import { dataOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openShop, type Shop } from './support/shop.js';
import { orderBody, type OrderBody } from './support/store-setup.js';

const SCALE = { full: { rounds: 20, buyers: 200 }, quick: { rounds: 2, buyers: 75 } };
/** Fifty units, in bins none of which can supply all orders of three units. */
const BINS = [10, 10, 10, 10, 10];
const UNITS = 50;
/** The number of orders of 2 + 1 units that fifty units can supply; two units remain. */
const SPLIT_ORDERS = 16;
/** Orders of two units, half of which then take two more and half give up one, while the crowd buys. */
const EDITED = 10;

export const oversell: Proof = { name: 'oversell', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { rounds, buyers } = SCALE[context.form];
  const shop = await openShop(context, 0, []);
  const violations: string[] = [];
  for (let n = 1; n <= rounds; n++) {
    // Both ways are tried, because orders with and without a key take different paths to the stock.
    const plain = await buyOut(shop, buyers, { name: `round ${n}`, lines: [1], keyed: n % 2 === 0 });
    violations.push(...plain(UNITS, 0));
    const split = await buyOut(shop, buyers, { name: `split round ${n}`, lines: [2, 1], keyed: n % 2 === 1 });
    violations.push(...split(SPLIT_ORDERS, UNITS - 3 * SPLIT_ORDERS));
    violations.push(...(await editOut(shop, buyers, `edited round ${n}`)));
  }
  violations.push(...(await askOracle(shop, { services: shop.services, expected: [200, 201, 422, 503] })));
  const figures = `${rounds} rounds × ${buyers} buyers for ${UNITS} units, three times (1 unit; 2 + 1 units in two lines; with ${EDITED} orders that take or give up units)`;
  return { figures, violations };
}

interface Round {
  readonly name: string;
  readonly lines: readonly number[];
  readonly keyed: boolean;
}

async function buyOut({ store, services, buyers }: Shop, crowd: number, { name, lines, keyed }: Round) {
  const product_id = await store.product({ stock: BINS });
  const items: OrderBody['items'] = lines.map((quantity) => ({ product_id, quantity }));
  const answers = await Promise.all(
    Array.from({ length: crowd }, (_, n) => {
      const key = keyed ? `${name}-${n}`.replaceAll(' ', '-') : null;
      return buyers.insist(services, orderBody(items, 'oversell'), { key });
    }),
  );
  const left = await store.onHand(product_id);
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  return (sold: number, remaining: number): string[] => {
    const found = `${count(201)} × 201, ${count(422)} × 422, ${left} units left`;
    const expected = `${sold} × 201, ${crowd - sold} × 422, ${remaining} units left`;
    return found === expected ? [] : [`${name}: ${found}; expected ${expected}`];
  };
}

async function editOut({ store, services, buyers }: Shop, crowd: number, name: string): Promise<string[]> {
  const product_id = await store.product({ stock: BINS });
  const placed = await Promise.all(
    Array.from({ length: EDITED }, () =>
      buyers.insist(services, orderBody([{ product_id, quantity: 2 }], 'oversell'), { key: null }),
    ),
  );
  const paths = placed.map((exchange) => `/v1/orders/${dataOf<{ order_id: string }>(exchange).order_id}/lines`);
  const buy = Array.from({ length: crowd }, () =>
    buyers.insist(services, orderBody([{ product_id, quantity: 1 }], 'oversell'), { key: null }),
  );
  const edit = paths.map((path, n) => {
    const set = [{ line: 1, quantity: n % 2 === 0 ? 4 : 1 }];
    return buyers.insist(services, { set }, { method: 'POST', path, key: `${name}-${n}`.replaceAll(' ', '-') });
  });
  const [bought, edited] = await Promise.all([Promise.all(buy), Promise.all(edit)]);
  const left = await store.onHand(product_id);
  const count = (answers: readonly { status: number | null }[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;
  const [more, less] = [0, 1].map((kind) => edited.filter((_, n) => n % 2 === kind));
  const sold = 2 * EDITED + count(bought, 201) + 2 * count(more ?? [], 200) - count(less ?? [], 200);
  return [
    ...(count(less ?? [], 200) === EDITED / 2 ? [] : [`${name}: an order could not give up a unit`]),
    ...(sold + left === UNITS ? [] : [`${name}: ${sold} sold and ${left} left of ${UNITS} units`]),
  ];
}

import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openShop, type Shop } from './support/shop.js';
import { orderBody, type OrderBody } from './support/store-setup.js';

const SCALE = { full: { rounds: 20, buyers: 200 }, quick: { rounds: 2, buyers: 75 } };
/** Fifty units, in bins none of which can supply all orders of three units. */
const BINS = [10, 10, 10, 10, 10];
const UNITS = 50;
/** The number of orders of 2 + 1 units that fifty units can supply; two units remain. */
const SPLIT_ORDERS = 16;

/** The order of every buyer in a round. */
type Basket = (productId: number) => OrderBody['items'];

const ONE_UNIT: Basket = (product_id) => [{ product_id, quantity: 1 }];
const TWO_LINES: Basket = (product_id) => [
  { product_id, quantity: 2 },
  { product_id, quantity: 1 },
];

export const oversell: Proof = {
  name: 'oversell',
  promise: 'No unit is sold twice, regardless of the number of buyers and processes',
  attack:
    '200 concurrent buyers on 2 processes order 50 units in 5 bins, 20 rounds; the same with 2 + 1 units in two lines of one product',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, history } = context;
  const { rounds, buyers: crowd } = SCALE[form];
  const shop = await openShop(context, 0, []);
  const { store, services, buyers } = shop;

  const violations: string[] = [];
  let oversold = 0;
  for (let n = 1; n <= rounds; n++) {
    // With and without a key: the two take different paths to the stock.
    const plain = await buyOut(shop, crowd, { name: `round ${n}`, basket: ONE_UNIT, keyed: n % 2 === 0 });
    violations.push(...plain.compare(UNITS, crowd - UNITS, 0));
    const split = await buyOut(shop, crowd, { name: `split round ${n}`, basket: TWO_LINES, keyed: n % 2 === 1 });
    violations.push(...split.compare(SPLIT_ORDERS, crowd - SPLIT_ORDERS, UNITS - 3 * SPLIT_ORDERS));
    oversold += Math.max(0, plain.sold - UNITS) + Math.max(0, split.sold - UNITS);
  }
  buyers.close();
  violations.push(...unexpectedAnswers(history.exchanges, [201, 422, 503]));
  violations.push(...(await askOracle({ context, store, services })));

  const figures =
    `${rounds} rounds × ${crowd} buyers for ${UNITS} units, twice (1 unit; 2 + 1 units in two lines): ` +
    `${history.count(201)} × 201, ${history.count(422)} × 422, ${oversold} oversold; ${retriesOf(history)}`;
  return { figures, violations };
}

interface Round {
  readonly name: string;
  readonly basket: Basket;
  readonly keyed: boolean;
}

/** All buyers order at once. */
async function buyOut({ store, services, buyers }: Shop, crowd: number, { name, basket, keyed }: Round) {
  const product = await store.product({ stock: BINS });
  const answers = await Promise.all(
    Array.from({ length: crowd }, (_, n) => {
      const body = orderBody(basket(product), 'oversell');
      return buyers.insist(services, body, { key: keyed ? `${name}-${n}`.replaceAll(' ', '-') : null });
    }),
  );
  const left = await store.onHand(product);
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  const units = basket(product).reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    /** Units in acknowledged orders. */
    sold: count(201) * units,
    compare: (sold: number, refused: number, remaining: number): string[] => {
      const found = `${count(201)} × 201, ${count(422)} × 422, ${left} units left`;
      const expected = `${sold} × 201, ${refused} × 422, ${remaining} units left`;
      return found === expected ? [] : [`${name}: ${found}; expected ${expected}`];
    },
  };
}

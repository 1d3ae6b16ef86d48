import { ANALYSIS_UNAVAILABLE, type FraudAssessment } from '@app/domain';
import { anOrderRecord } from '../../builders/order-record.js';
import { anOrder, placeOrder } from '../../builders/placed-order.js';
import { InMemoryShop } from '../../support/in-memory/in-memory-shop.js';
import type { OrderRepository } from '../../../libs/application/src/ports/order.repository.js';
import { RescreenHeldOrders } from '../../../libs/application/src/orders/rescreen-held-orders.js';

const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };
const SIGNAL = new AbortController().signal;

describe('RescreenHeldOrders', () => {
  async function unanalysed(count: number) {
    const shop = new InMemoryShop();
    const productId = shop.addProduct({ stock: [count] });
    for (let n = 0; n < count; n++) {
      const order = anOrder(1, { items: [{ productId, quantity: 1 }] });
      await placeOrder(shop.placement, order, { assessment: ANALYSIS_UNAVAILABLE });
    }
    const ids = shop.orders.map(({ order }) => order.id);
    /** Ids of screened orders, in order. */
    const screened: string[] = [];
    let assessment: (orderId: string) => FraudAssessment = () => ACCEPTED;
    shop.fraud.reassess = (_storeId, _signals, { orderId }) => {
      screened.push(orderId);
      return Promise.resolve(assessment(orderId));
    };
    const orders = { findById: (_: number, id: string) => Promise.resolve(anOrderRecord({ id })) };
    const rescreen = new RescreenHeldOrders(shop.held, orders as unknown as OrderRepository, shop.fraud);
    const held = () => shop.queued.filter(({ state }) => state === 'held').map(({ orderId }) => orderId);
    const answer = (next: typeof assessment) => void (assessment = next);
    return { ids, screened, rescreen, held, answer };
  }

  it('releases every accepted order, over several batches', async () => {
    const { ids, screened, rescreen, held } = await unanalysed(120);

    expect(await rescreen.execute(null, SIGNAL)).toBeNull();

    expect(screened).toEqual(ids);
    expect(held()).toEqual([]);
  });

  it('ends when the analysis is still unavailable, and the next call continues after that order', async () => {
    const { ids, screened, rescreen, held, answer } = await unanalysed(3);
    answer((id) => (id === ids[0] ? ANALYSIS_UNAVAILABLE : ACCEPTED));

    const last = await rescreen.execute(null, SIGNAL);

    expect([last?.orderId, screened]).toEqual([ids[0], [ids[0]]]);
    expect(await rescreen.execute(last, SIGNAL)).toBeNull();
    expect(held()).toEqual([ids[0]]);
  });

  it('ends when its signal aborts', async () => {
    const { screened, rescreen } = await unanalysed(2);

    await rescreen.execute(null, AbortSignal.abort());

    expect(screened).toEqual([]);
  });
});

import { HeldOrders, type HeldFilter, type HeldOrder, type OrderKey } from '@app/application';
import { UNAVAILABLE, type FraudAssessment, type Order } from '@app/domain';
import { findOrder, moveStages, type InMemoryTransactions } from './in-memory-transactions.js';

export class InMemoryHeldOrders extends HeldOrders {
  constructor(private readonly transactions: InMemoryTransactions) {
    super();
  }

  override list({ subdomain, reasons }: HeldFilter, limit: number, after: OrderKey | null): Promise<HeldOrder[]> {
    const { queued, orders } = this.transactions.state;
    const found = queued
      .filter(({ state }) => state === 'held')
      .filter(({ heldFor }) => !reasons || (heldFor.length > 0 && heldFor.every((reason) => reasons.includes(reason))))
      .filter(({ orderId }) => after === null || orderId > after.orderId)
      .flatMap(({ orderId, heldFor }) =>
        orders
          .filter(({ order }) => order.id === orderId)
          .map(({ order }) => ({ ...heldOrder(order), reasons: heldFor })),
      )
      .filter((order) => subdomain === null || order.subdomain === subdomain)
      .sort((a, b) => (a.orderId < b.orderId ? -1 : 1));
    return Promise.resolve(found.slice(0, limit));
  }

  override reasons(): Promise<string[]> {
    const held = this.transactions.state.queued.filter(({ state }) => state === 'held');
    return Promise.resolve([...new Set(held.flatMap(({ heldFor }) => heldFor))]);
  }

  override settle(key: OrderKey, assessment: FraudAssessment): Promise<boolean> {
    return this.transactions.run((state) => {
      const stage = state.queued.find(({ orderId, state: s }) => orderId === key.orderId && s === 'held');
      if (stage?.heldFor.join() !== UNAVAILABLE || !findOrder(state, key)) return false;
      const heldFor = assessment.reasons.map(({ rule }) => rule);
      state.queued = state.queued.map((job) => (job === stage ? { ...job, heldFor } : job));
      state.orders = state.orders.map((placed) =>
        placed.order.id === key.orderId ? { ...placed, assessment } : placed,
      );
      if (assessment.verdict === 'ACCEPT') moveStages(state, key, 'held', 'pending');
      return true;
    });
  }
}

function heldOrder({ storeId, id, receiptNumber, total, currency, isTest, placedAt }: Order) {
  const place = { storeId, subdomain: `store-${storeId}`, orderId: id };
  return { ...place, receiptNumber, totalAmount: total.minor, currency, isTest, createdAt: placedAt };
}

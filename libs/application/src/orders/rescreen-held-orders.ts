import { UNAVAILABLE } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { FraudScreening } from '../ports/fraud-screening.js';
import { HeldOrders, type HeldOrder } from '../ports/held-orders.js';
import { OrderRepository, type OrderKey } from '../ports/order.repository.js';

const BATCH = 50;
const WITHOUT_ANALYSIS = { subdomain: null, reasons: [UNAVAILABLE], placed: true } as const;

@Injectable()
export class RescreenHeldOrders {
  constructor(
    private readonly held: HeldOrders,
    private readonly orders: OrderRepository,
    private readonly fraud: FraudScreening,
  ) {}

  /**
   * Screens the orders that are held only because their analysis was unavailable, oldest first. Stops early when it is
   * still unavailable.
   * @param after the order at which the previous call stopped; null starts from the beginning.
   * @param signal stops the work after the current order.
   * @returns the order at which it stopped early; null when all were screened.
   */
  async execute(after: OrderKey | null, signal: AbortSignal): Promise<OrderKey | null> {
    for (let last = after; ;) {
      const batch = await this.held.list(WITHOUT_ANALYSIS, BATCH, last);
      for (const order of batch) {
        last = order;
        // The next call begins after this order, so an order whose analysis always fails does not block the others.
        if (signal.aborted || !(await this.rescreen(order))) return last;
      }
      if (batch.length < BATCH) return null;
    }
  }

  private async rescreen({ storeId, orderId }: HeldOrder): Promise<boolean> {
    const order = await this.orders.findById(storeId, orderId);
    if (!order) return true;
    const { customer, shippingAddress, totalAmount, lines, createdAt } = order;
    const { email, phone } = customer;
    const signals = { email, phone, address: shippingAddress, total: totalAmount, items: lines };
    const assessment = await this.fraud.reassess(storeId, signals, { orderId, at: createdAt });
    if (assessment.reasons.some(({ rule }) => rule === UNAVAILABLE)) return false;

    // The order exists and holds stock: a person decides about it, even if the rules reject it now.
    const verdict = assessment.verdict === 'REJECT' ? 'REVIEW' : assessment.verdict;
    await this.held.settle({ storeId, orderId }, { ...assessment, verdict });
    return true;
  }
}

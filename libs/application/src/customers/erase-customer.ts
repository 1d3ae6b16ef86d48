import { domainError, isOpen } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { PersonalData, type Erasure, type PersonsOrder } from '../ports/personal-data.js';
import { StoreRepository } from '../ports/store.repository.js';

export interface EraseCustomerCommand {
  readonly store: string;
  readonly email: string;
  readonly force: boolean;
}

const MOST_NAMED = 20;

export const OrdersOpen = domainError('rejected', 'orders_open', (orders: readonly PersonsOrder[]) => {
  const named = orders
    .slice(0, MOST_NAMED)
    .map(({ receiptNumber, status, fulfillmentStatus }) => `${receiptNumber} (${status}, ${fulfillmentStatus})`);
  const more = orders.length > MOST_NAMED ? [`and ${orders.length - MOST_NAMED} more`] : [];
  return `Orders are open: ${[...named, ...more].join(', ')}`;
});

@Injectable()
export class EraseCustomer {
  constructor(
    private readonly stores: StoreRepository,
    private readonly people: PersonalData,
  ) {}

  /**
   * Erases what a store knows of a person. A repetition finds nothing to erase.
   *
   * @throws NotFound when there is no such store.
   * @throws OrdersOpen when an order of the person is open, unless forced; nothing is erased.
   */
  async execute({ store, email, force }: EraseCustomerCommand): Promise<Erasure> {
    const owner = await this.stores.require(store);
    return this.people.erase(owner.id, email, (orders) => {
      const open = orders.filter(isOpen);
      if (open.length > 0 && !force) throw new OrdersOpen(open);
    });
  }
}

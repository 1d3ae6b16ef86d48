import { isStorable, NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { Deadline } from '../deadline.js';
import type { ChangeOrigin } from '../ports/audit-log.js';
import type { Page, PageOf } from '../ports/page.js';
import {
  PriceListRepository,
  type PriceList,
  type PriceListFilter,
  type UnitPricesFilter,
  type UnitPricesPage,
} from '../ports/price-list.repository.js';

@Injectable()
export class PriceListsService {
  constructor(private readonly lists: PriceListRepository) {}

  list(storeId: number, filter: PriceListFilter, page: Page): Promise<PageOf<PriceList>> {
    return this.lists.list(storeId, filter, page);
  }

  /** @throws NotFound when the store has no list with the code. */
  async retrieve(storeId: number, code: string): Promise<PriceList> {
    const [found] = isStorable(code) ? await this.lists.findByCodes(storeId, [code]) : [];
    if (!found) throw new NotFound('Price list');
    return found;
  }

  /** @throws what {@link PriceListRepository} throws */
  async save(storeId: number, list: PriceList, origin: ChangeOrigin): Promise<PriceList> {
    await this.lists.save(storeId, list, origin);
    return list;
  }

  /**
   * @returns the list as it was.
   * @throws NotFound when the store has no list with the code.
   * @throws what {@link PriceListRepository} throws
   */
  async delete(storeId: number, code: string, deadline: Deadline, origin: ChangeOrigin): Promise<PriceList> {
    const list = await this.retrieve(storeId, code);
    await this.lists.delete(storeId, code, deadline, origin);
    return list;
  }

  prices(storeId: number, filter: UnitPricesFilter, page: UnitPricesPage) {
    return this.lists.prices(storeId, filter, page);
  }

  countPrices(...args: Parameters<PriceListRepository['countPrices']>): Promise<number> {
    return this.lists.countPrices(...args);
  }
}

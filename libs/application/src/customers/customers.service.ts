import { isUuid, NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { CustomerRepository, type CustomerFilter, type CustomerRecord } from '../ports/customer.repository.js';
import type { Page, PageOf } from '../ports/page.js';

@Injectable()
export class CustomersService {
  constructor(private readonly customers: CustomerRepository) {}

  list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<CustomerRecord>> {
    return this.customers.list(storeId, filter, page);
  }

  async retrieve(storeId: number, id: string): Promise<CustomerRecord> {
    const customer = isUuid(id) ? await this.customers.findById(storeId, id) : null;
    if (!customer) throw new NotFound('Customer');
    return customer;
  }
}

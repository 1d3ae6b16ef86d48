import { CustomerRepository, type CustomerFilter, type CustomerRecord, type Page, type PageOf } from '@app/application';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { containing } from '../conditions.js';
import { toSafeInteger } from '../integers.js';
import { matchesNothing, NO_ROWS, offsetOf } from '../paging.js';
import { CustomerEntity } from './customer.entity.js';

@Injectable()
export class TypeOrmCustomerRepository extends CustomerRepository {
  constructor(@InjectRepository(CustomerEntity) private readonly customers: Repository<CustomerEntity>) {
    super();
  }

  override async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<CustomerRecord>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { status, search } = filter;
    const query = this.customers.createQueryBuilder('customer').where('customer.storeId = :storeId', { storeId });
    if (status !== undefined) query.andWhere('lower(customer.status) = lower(:status)', { status });
    if (search !== undefined) {
      query.andWhere('(customer.name ILIKE :pattern OR customer.email ILIKE :pattern)', {
        pattern: containing(search),
      });
    }

    const [total, customers] = await Promise.all([
      query.clone().getCount(),
      query
        .orderBy({ 'customer.createdAt': 'DESC', 'customer.id': 'DESC' })
        .limit(page.limit)
        .offset(offsetOf(page))
        .getMany(),
    ]);
    return { rows: customers.map(toCustomerRecord), total };
  }

  override async findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    const customer = await this.customers.findOneBy({ storeId, id });
    return customer && toCustomerRecord(customer);
  }
}

function toCustomerRecord(customer: CustomerEntity): CustomerRecord {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    status: customer.status,
    emailVerified: customer.emailVerified,
    loyaltyPoints: customer.loyaltyPoints,
    totalSpent: toSafeInteger(customer.totalSpent),
    tags: customer.tags,
    city: customer.city,
    createdAt: customer.createdAt,
    lastLogin: customer.lastLogin,
  };
}

import { Injectable } from '@nestjs/common';
import { CustomersService, type Page, type PageOf } from 'store-commerce/application';
import { DomainError } from 'store-commerce/domain';
import { Database } from 'store-commerce/infrastructure';

export interface LoyaltyAccount {
  readonly customerId: string;
  readonly points: number;
  readonly isSuspended: boolean;
}

/** A field of `undefined` does not filter. */
export interface LoyaltyFilter {
  readonly isSuspended?: boolean;
  readonly minPoints?: number;
}

/** The customer neither collects nor spends points. */
export class LoyaltySuspended extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'loyalty_suspended';

  constructor() {
    super('The loyalty account is suspended');
  }
}

const COLUMNS = `customer_id AS "customerId", points, is_suspended AS "isSuspended"`;

@Injectable()
export class LoyaltyAccounts {
  constructor(
    private readonly customers: CustomersService,
    private readonly database: Database,
  ) {}

  /** Lists accounts, sorted by customer. */
  async list(storeId: number, filter: LoyaltyFilter, { page, limit }: Page): Promise<PageOf<LoyaltyAccount>> {
    const accounts = `FROM loyalty.accounts WHERE store_id = $1 AND ($2::boolean IS NULL OR is_suspended = $2)
      AND ($3::int IS NULL OR points >= $3)`;
    const filters = [storeId, filter.isSuspended ?? null, filter.minPoints ?? null];
    const [rows, [count]] = await Promise.all([
      this.database.queryPrepared<LoyaltyAccount>(
        `/* loyalty.list */ SELECT ${COLUMNS} ${accounts} ORDER BY customer_id LIMIT $4 OFFSET $5`,
        [...filters, limit, (page - 1) * limit],
      ),
      this.database.queryPrepared<{ total: number }>(
        `/* loyalty.total */ SELECT count(*)::int AS total ${accounts}`,
        filters,
      ),
    ]);
    return { rows, total: count?.total ?? 0 };
  }

  /**
   * Returns the account of a customer, which is empty until the first points.
   * @throws NotFound when the store has no such customer.
   */
  async retrieve(storeId: number, customer: string): Promise<LoyaltyAccount> {
    const { id } = await this.customers.retrieve(storeId, customer);
    const [account] = await this.database.queryPrepared<LoyaltyAccount>(
      `/* loyalty.account */ SELECT ${COLUMNS} FROM loyalty.accounts WHERE store_id = $1 AND customer_id = $2`,
      [storeId, id],
    );
    return account ?? { customerId: id, points: 0, isSuspended: false };
  }

  /**
   * @throws NotFound when the store has no such customer.
   * @throws LoyaltySuspended when the account is suspended.
   */
  async setPoints(storeId: number, customer: string, points: number): Promise<LoyaltyAccount> {
    const { id } = await this.customers.retrieve(storeId, customer);
    const [account] = await this.database.write<LoyaltyAccount>(
      `/* loyalty.set */ INSERT INTO loyalty.accounts AS account (store_id, customer_id, points) VALUES ($1, $2, $3)
       ON CONFLICT (store_id, customer_id) DO UPDATE SET points = $3 WHERE NOT account.is_suspended
       RETURNING ${COLUMNS}`,
      [storeId, id, points],
    );
    if (!account) throw new LoyaltySuspended();
    return account;
  }
}

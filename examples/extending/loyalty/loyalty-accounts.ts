import { Injectable } from '@nestjs/common';
import { CustomersService } from 'store-commerce/application';
import { DomainError } from 'store-commerce/domain';
import { Database } from 'store-commerce/infrastructure';

export interface LoyaltyAccount {
  readonly customerId: string;
  readonly points: number;
}

/** The customer collects and spends no points. */
export class LoyaltySuspended extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'loyalty_suspended';

  constructor() {
    super('The loyalty account is suspended');
  }
}

interface AccountRow {
  readonly points: number;
  readonly is_suspended: boolean;
}

@Injectable()
export class LoyaltyAccounts {
  constructor(
    private readonly customers: CustomersService,
    private readonly database: Database,
  ) {}

  /**
   * The account of a customer, which is empty until the first points.
   *
   * @throws NotFound when the store has no such customer.
   * @throws LoyaltySuspended when the account is suspended.
   */
  async retrieve(storeId: number, customerId: string): Promise<LoyaltyAccount> {
    const { id } = await this.customers.retrieve(storeId, customerId);
    const [account] = await this.database.queryPrepared<AccountRow>(
      '/* loyalty.account */ SELECT points, is_suspended FROM loyalty.accounts WHERE store_id = $1 AND customer_id = $2',
      [storeId, id],
    );
    if (account?.is_suspended) throw new LoyaltySuspended();
    return { customerId: id, points: account?.points ?? 0 };
  }
}

import { Module } from '@nestjs/common';
import { LoyaltyAccounts } from './loyalty-accounts.js';
import { LoyaltyController } from './loyalty.controller.js';

@Module({ controllers: [LoyaltyController], providers: [LoyaltyAccounts] })
export class LoyaltyModule {}

import { StoreAttention, StoreRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresStoreAttention } from './postgres-store-attention.js';
import { PostgresStoreRepository } from './postgres-store.repository.js';

@Module({
  providers: [
    { provide: StoreAttention, useClass: PostgresStoreAttention },
    { provide: StoreRepository, useClass: PostgresStoreRepository },
  ],
  exports: [StoreAttention, StoreRepository],
})
export class StoresModule {}

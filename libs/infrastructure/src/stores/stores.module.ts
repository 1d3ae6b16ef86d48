import { StoreAttention, StoreMoves, StoreRepository, StoreSearch } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresStoreMoves } from './move/postgres-store-moves.js';
import { PostgresStoreAttention } from './postgres-store-attention.js';
import { PostgresStoreRepository } from './postgres-store.repository.js';
import { PostgresStoreSearch } from './postgres-store-search.js';

@Module({
  providers: [
    { provide: StoreAttention, useClass: PostgresStoreAttention },
    { provide: StoreMoves, useClass: PostgresStoreMoves },
    { provide: StoreRepository, useClass: PostgresStoreRepository },
    { provide: StoreSearch, useClass: PostgresStoreSearch },
  ],
  exports: [StoreAttention, StoreMoves, StoreRepository, StoreSearch],
})
export class StoresModule {}

import { StoreAttention, StoreMoves, StoreRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresStoreMoves } from './move/postgres-store-moves.js';
import { PostgresStoreAttention } from './postgres-store-attention.js';
import { PostgresStoreRepository } from './postgres-store.repository.js';

@Module({
  providers: [
    { provide: StoreAttention, useClass: PostgresStoreAttention },
    { provide: StoreMoves, useClass: PostgresStoreMoves },
    { provide: StoreRepository, useClass: PostgresStoreRepository },
  ],
  exports: [StoreAttention, StoreMoves, StoreRepository],
})
export class StoresModule {}

import { StoreRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresStoreRepository } from './postgres-store.repository.js';

@Module({
  providers: [{ provide: StoreRepository, useClass: PostgresStoreRepository }],
  exports: [StoreRepository],
})
export class StoresModule {}

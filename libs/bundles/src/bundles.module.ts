import { StoreImport } from '@app/application';
import { Module } from '@nestjs/common';
import { BundleStoreImport } from './bundle/bundle-store-import.js';

@Module({
  providers: [{ provide: StoreImport, useClass: BundleStoreImport }],
  exports: [StoreImport],
})
export class BundlesModule {}

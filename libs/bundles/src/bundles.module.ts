import { StoreImport, StoreSettings } from '@app/application';
import { Module } from '@nestjs/common';
import { BundleStoreImport } from './bundle/bundle-store-import.js';
import { BundleStoreSettings } from './bundle/bundle-store-settings.js';

@Module({
  providers: [
    { provide: StoreImport, useClass: BundleStoreImport },
    { provide: StoreSettings, useClass: BundleStoreSettings },
  ],
  exports: [StoreImport, StoreSettings],
})
export class BundlesModule {}

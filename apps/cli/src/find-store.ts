import { StoreRepository, type StoreSummary } from '@app/application';
import type { INestApplicationContext } from '@nestjs/common';

export function findStore(app: INestApplicationContext, subdomain: string): Promise<StoreSummary> {
  return app.get(StoreRepository).require(subdomain);
}

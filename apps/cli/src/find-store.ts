import { StoreRepository, type StoreSummary } from '@app/application';
import type { INestApplicationContext } from '@nestjs/common';

/** @throws NotFound when no store has the subdomain. */
export function findStore(app: INestApplicationContext, subdomain: string): Promise<StoreSummary> {
  return app.get(StoreRepository).require(subdomain);
}

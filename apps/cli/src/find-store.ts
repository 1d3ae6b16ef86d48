import { StoreRepository, type StoreSummary } from '@app/application';
import { NotFound } from '@app/domain';
import type { INestApplicationContext } from '@nestjs/common';

/** @throws NotFound when no store has the subdomain. */
export async function findStore(app: INestApplicationContext, subdomain: string): Promise<StoreSummary> {
  const store = await app.get(StoreRepository).findBySubdomain(subdomain);
  if (!store) throw new NotFound(`Store ${subdomain}`);
  return store;
}

import {
  ApiKeyRepository,
  ApiKeysService,
  PeopleService,
  PersonRepository,
  ProductsService,
  SignInService,
  StoreRepository,
} from '@app/application';
import { NotFound, type ApiKeyMode } from '@app/domain';
import { DataCipher, operator } from '@app/infrastructure';
import { DEMO_STORE, demoStore } from '@app/demo-store';
import { withBundleImporter } from '@app/bundles';
import type { INestApplicationContext } from '@nestjs/common';

const OWNER = { email: 'owner@larkmoor.example', name: 'Demo Owner', role: 'owner' } as const;

export interface FirstSteps {
  readonly liveKey: string;
  readonly testKey: string;
  readonly item: { readonly product_id: number; readonly quantity: 1 };
}

export class Demo {
  constructor(
    private readonly app: INestApplicationContext,
    private readonly databaseUrl: string,
  ) {}

  /**
   * Returns whether it loaded the store. A store without keys is loaded again, because its first load was interrupted.
   */
  async loadOnce(): Promise<boolean> {
    const stores = this.app.get(StoreRepository);
    const store = await stores.findBySubdomain(DEMO_STORE);
    const isUnfinished = store !== null && (await this.app.get(ApiKeyRepository).list(store.id, null)).total === 0;
    if (!isUnfinished && (await stores.list()).length > 0) return false;
    await withBundleImporter(this.databaseUrl, this.app.get(DataCipher), (importer) =>
      // The dates are part of the order numbers, so the dates of the first load are used.
      importer.importObjects(demoStore({ now: store?.createdAt ?? new Date() })),
    );
    await this.addOwner();
    return true;
  }

  async firstSteps(): Promise<FirstSteps> {
    const liveKey = await this.createKey('live');
    const testKey = await this.createKey('test');
    return { liveKey, testKey, item: { product_id: await this.productInStock(), quantity: 1 } };
  }

  /** Returns the token of a link for the owner of the demo store; null when there is no such person. */
  async signInToken(): Promise<string | null> {
    try {
      return (await this.app.get(SignInService).makeLink(OWNER.email)).token;
    } catch (error) {
      if (error instanceof NotFound) return null;
      throw error;
    }
  }

  /** Adds the owner when the first load was interrupted before. */
  private async addOwner(): Promise<void> {
    const { id: storeId } = await this.app.get(StoreRepository).require(DEMO_STORE);
    const known = await this.app.get(PersonRepository).findByEmail(storeId, OWNER.email);
    if (!known) await this.app.get(PeopleService).add({ storeId, ...OWNER }, null);
  }

  private async createKey(mode: ApiKeyMode): Promise<string> {
    const rights = { mode, scope: 'full', networks: [], trusted: false, expiresAt: null } as const;
    const { id } = await this.app.get(StoreRepository).require(DEMO_STORE);
    const maker = { actor: operator(), key: null };
    return (await this.app.get(ApiKeysService).create(id, { name: `First ${mode} key`, ...rights }, maker)).key;
  }

  /** Finds a product without variants, because an order must otherwise name the variant. */
  private async productInStock(): Promise<number> {
    const products = this.app.get(ProductsService);
    const storeId = (await this.app.get(StoreRepository).findBySubdomain(DEMO_STORE))?.id ?? 0;
    const { rows } = await products.list(storeId, { inStock: true }, { page: 1, limit: 100 });
    for (const { id, quantity } of rows) {
      const { variants } = await products.retrieve(storeId, String(id));
      if (variants.length === 0 && quantity > 1) return id;
    }
    throw new Error('The demo store has no product without variants in stock');
  }
}

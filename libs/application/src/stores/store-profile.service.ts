import { NotFound, publicPaymentSettings, publicSettings } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { StoreRepository, type StoreProfile } from '../ports/store.repository.js';

export type PublicStoreProfile = ReturnType<typeof publish>;

@Injectable()
export class StoreProfileService {
  /**
   * Requests that arrive together receive the same profile object from the repository, so its settings are filtered
   * once.
   */
  private readonly published = new WeakMap<StoreProfile, PublicStoreProfile>();

  constructor(private readonly stores: StoreRepository) {}

  /** @throws NotFound when the store was deleted since the key was checked. */
  async retrieve(storeId: number): Promise<PublicStoreProfile> {
    const profile = await this.stores.findProfile(storeId);
    if (!profile) throw new NotFound('Store');
    const published = this.published.get(profile) ?? publish(profile);
    this.published.set(profile, published);
    return published;
  }
}

function publish({ methodsWithCredentials, ...profile }: StoreProfile) {
  const withCredentials = new Set(methodsWithCredentials);
  return {
    ...profile,
    contact: publicSettings(profile.contact),
    theme: publicSettings(profile.theme),
    paymentSettings: publicPaymentSettings(profile.paymentSettings, (id) => withCredentials.has(id)),
    ecommerceSettings: publicSettings(profile.ecommerceSettings),
  };
}

import { NotFound, publicPaymentSettings, publicSettings } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { StoreRepository, type StoreProfile } from '../ports/store.repository.js';

/** A profile whose settings contain no secrets. */
export interface PublicStoreProfile extends Omit<
  StoreProfile,
  'contact' | 'theme' | 'paymentSettings' | 'ecommerceSettings' | 'methodsWithCredentials'
> {
  readonly contact: Record<string, unknown>;
  readonly theme: Record<string, unknown>;
  readonly paymentSettings: ReturnType<typeof publicPaymentSettings>;
  readonly ecommerceSettings: Record<string, unknown>;
}

@Injectable()
export class StoreProfileService {
  constructor(private readonly stores: StoreRepository) {}

  /** @throws NotFound when the store was deleted since the key was checked. */
  async retrieve(storeId: number): Promise<PublicStoreProfile> {
    const profile = await this.stores.findProfile(storeId);
    if (!profile) throw new NotFound('Store');
    const { methodsWithCredentials, ...rest } = profile;
    return {
      ...rest,
      contact: publicSettings(profile.contact),
      theme: publicSettings(profile.theme),
      paymentSettings: publicPaymentSettings(profile.paymentSettings, (id) => methodsWithCredentials.includes(id)),
      ecommerceSettings: publicSettings(profile.ecommerceSettings),
    };
  }
}

import { OrderCharges, type ChargeableOrder } from 'store-commerce/application';
import type { Charges } from 'store-commerce/domain';

/** In minor units. */
const FLAT_SHIPPING = 490;

/** In percent, by the country of the address. */
const VAT: Readonly<Record<string, bigint>> = { AT: 20n, DE: 19n, FR: 20n, NL: 21n };

/** Shipping costs the same for each order below an amount. The prices and the shipping include the VAT of the country. */
export class ShippingAndVat extends OrderCharges {
  /** @param freeFrom the sum of the lines, in minor units, from which the shipping is free. */
  constructor(private readonly freeFrom: number) {
    super();
  }

  override chargesOf(_storeId: number, { subtotal, address }: ChargeableOrder): Promise<Charges> {
    const shipping = subtotal.minor < this.freeFrom ? FLAT_SHIPPING : 0;
    const tax = includedIn(subtotal.minor + shipping, VAT[address.country] ?? 0n);
    return Promise.resolve({ tax, isTaxIncluded: true, shipping, discount: 0 });
  }
}

/** Rounded once, half up. In integers: a division of doubles is not exact. */
function includedIn(gross: number, percent: bigint): number {
  const divisor = 100n + percent;
  return Number((2n * BigInt(gross) * percent + divisor) / (2n * divisor));
}

import { OrderCharges } from 'store-commerce/application';
import type { ChargeableOrder, Charges, Tax } from 'store-commerce/domain';

/** The amount in minor units. */
const FLAT_SHIPPING = 490;

/** The rates in percent, by the country of the address. */
const VAT: Readonly<Record<string, number>> = { AT: 20, DE: 19, FR: 20, NL: 21 };

/** Shipping costs the same for each order below an amount. The prices and the shipping include the VAT of the country. */
export class ShippingAndVat extends OrderCharges {
  /** @param freeFrom the sum of the lines, in minor units, from which the shipping is free. */
  constructor(private readonly freeFrom: number) {
    super();
  }

  override chargesOf(_storeId: number, { lines, subtotal, address }: ChargeableOrder): Promise<Charges> {
    const rate = VAT[address.country];
    const shipping = subtotal.minor < this.freeFrom ? FLAT_SHIPPING : 0;
    const taxOf = (gross: number): Tax[] =>
      rate === undefined || gross === 0 ? [] : [{ name: 'VAT', rate, amount: includedIn(gross, BigInt(rate)) }];
    return Promise.resolve({
      isTaxIncluded: true,
      shipping,
      shippingTax: taxOf(shipping),
      lines: lines.map(({ total }) => ({ tax: taxOf(total.minor), discount: 0 })),
    });
  }
}

/** Rounds once, half up. It uses big integers, because a division of doubles is not exact. */
function includedIn(gross: number, percent: bigint): number {
  const divisor = 100n + percent;
  return Number((2n * BigInt(gross) * percent + divisor) / (2n * divisor));
}

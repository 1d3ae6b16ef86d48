import type { PriceChangeRequest, SkuId } from '@app/application';
import type { PriceOutcome } from '@app/domain';

export type UnitLine = PriceChangeRequest['lines'][number];

/** A product or variant of a request, whose lines set its prices one after the other. */
export interface PricedUnit {
  readonly productId: number;
  /** 0 stands for the product itself. */
  readonly variantKey: number;
  readonly sku: string;
  set(line: UnitLine): PriceOutcome;
  /** Whether the lines leave the unit without a price in the price list. It then has no quantity rule there, either. */
  readonly isUnlisted: boolean;
}

export interface PricedUnits {
  /** The keys are those of {@link keyOf}. */
  readonly units: ReadonlyMap<string, PricedUnit>;
  readonly write: () => Promise<void>;
}

export function keyOf({ productId, variantId }: SkuId): string {
  return `${productId}/${variantId ?? 0}`;
}

export function byKey<Unit extends PricedUnit>(units: readonly Unit[]): ReadonlyMap<string, Unit> {
  return new Map(units.map((unit) => [keyOf({ productId: unit.productId, variantId: unit.variantKey }), unit]));
}

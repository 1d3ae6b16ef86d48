import type { FraudAssessment, FraudSignals, OrderContact, OrderSize } from '@app/domain';

/** An order that is screened again, and when it was placed. */
export interface PlacedBefore {
  readonly orderId: string;
  readonly at: Date;
}

/** The screening of one order, whose facts are already on their way. */
export interface Screening {
  /**
   * Judges the order.
   *
   * Never rejects: when the facts are missing, or arrive later than 300 ms after this call, the verdict is REVIEW.
   */
  assess(size: OrderSize): Promise<FraudAssessment>;
}

export abstract class FraudScreening {
  /**
   * Begins to screen an order before it is placed, with the store's own data. Asks for the facts about its contact at
   * once, so that they arrive together with its prices.
   *
   * @param keyId of the key that places the order; null for none. The velocity rules leave orders of trusted keys out.
   */
  abstract begin(storeId: number, contact: OrderContact, keyId: string | null): Screening;

  /**
   * Screens an order that was placed without an analysis, as of the moment of its placement: only earlier orders count.
   *
   * Never rejects: the verdict is REVIEW, for `analysis_unavailable`, when the analysis fails again or takes longer than
   * its budget of 2 s.
   */
  abstract reassess(storeId: number, signals: FraudSignals, placed: PlacedBefore): Promise<FraudAssessment>;

  /** Stores the assessment of an order that was rejected. */
  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

import type { FraudAssessment, FraudSignals } from '@app/domain';

/** An order that is screened again, and when it was placed. */
export interface PlacedBefore {
  readonly orderId: string;
  readonly at: Date;
}

export abstract class FraudScreening {
  /**
   * Screens an order before it is placed, with the store's own data.
   *
   * Never rejects: when the analysis fails, or takes longer than its budget of 300 ms, the verdict is REVIEW.
   */
  abstract assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment>;

  /**
   * Screens an order that was placed without an analysis, as of the moment of its placement: only earlier orders count.
   * Otherwise like `assess`, with a budget of 2 s.
   *
   * Never rejects: the verdict is REVIEW, for `analysis_unavailable`, when the analysis fails again.
   */
  abstract reassess(storeId: number, signals: FraudSignals, placed: PlacedBefore): Promise<FraudAssessment>;

  /** Stores the assessment of an order that was rejected. */
  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

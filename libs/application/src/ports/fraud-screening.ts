import type { FraudAssessment, FraudSignals } from '@app/domain';

/** Which order is screened again, and when it was placed. */
export interface PlacedBefore {
  readonly orderId: string;
  readonly at: Date;
}

export abstract class FraudScreening {
  /**
   * Screens an order that is about to be placed, on the store's own data.
   *
   * Never rejects: when the analysis fails, or takes longer than its budget of 300 ms, the verdict is REVIEW.
   */
  abstract assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment>;

  /**
   * Screens an order that was placed without an analysis, as of the moment it was placed: other orders count if they came
   * before it. Otherwise like `assess`, with 2 s of time.
   *
   * Never rejects: the verdict is REVIEW, for `analysis_unavailable`, when the analysis fails again.
   */
  abstract reassess(storeId: number, signals: FraudSignals, placed: PlacedBefore): Promise<FraudAssessment>;

  /** Keeps the assessment of an order that was refused because of it. */
  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

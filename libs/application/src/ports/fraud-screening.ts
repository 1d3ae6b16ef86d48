import type { FraudAssessment, FraudSignals } from '@app/domain';

export abstract class FraudScreening {
  /**
   * Screens an order that is about to be placed, on the store's own data.
   *
   * Never rejects: when the analysis fails, or takes longer than its budget of 300 ms, the verdict is REVIEW.
   */
  abstract assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment>;

  /** Keeps the assessment of an order that was refused because of it. */
  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

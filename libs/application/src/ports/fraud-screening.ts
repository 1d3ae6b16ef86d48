import type { ContactPart, FraudAssessment, FraudReason, FraudSignals, OrderContact, OrderSize } from '@app/domain';

export interface PlacedBefore {
  readonly orderId: string;
  readonly at: Date;
}

/**
 * A corrected contact. Only the rules that look at the changed parts run, and the verdict is ACCEPT when none of them
 * fires.
 */
export interface Correction {
  readonly changed: readonly ContactPart[];
  /** The existing reasons of the order, which count together with the new ones. */
  readonly reasons: readonly FraudReason[];
}

export interface Screening {
  /**
   * Never rejects the promise. When the facts are missing, or arrive more than 300 ms after this call, the verdict is
   * REVIEW.
   */
  assess(size: OrderSize): Promise<FraudAssessment>;
}

export abstract class FraudScreening {
  /**
   * Requests the facts about an order at once, so that they arrive together with its prices.
   * @param keyId the key that places the order: the velocity rules ignore orders of trusted keys.
   */
  abstract begin(storeId: number, contact: OrderContact, keyId: string | null): Screening;

  /**
   * Screens an order that was placed without an analysis, or whose contact changes, as at the time of its placement:
   * only earlier orders count. Never rejects the promise: the verdict is REVIEW, with the reason
   * `analysis_unavailable`, when the analysis fails or takes longer than 2 s.
   * @param correction when absent, all rules run.
   */
  abstract reassess(
    storeId: number,
    signals: FraudSignals,
    placed: PlacedBefore,
    correction?: Correction,
  ): Promise<FraudAssessment>;

  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

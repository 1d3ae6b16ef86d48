import type { ContactPart, FraudAssessment, FraudReason, FraudSignals, OrderContact, OrderSize } from '@app/domain';

export interface PlacedBefore {
  readonly orderId: string;
  readonly at: Date;
}

/**
 * A correction of a contact. Only the rules that look at what changed run, and the verdict is ACCEPT when none of them
 * fires.
 */
export interface Correction {
  readonly changed: readonly ContactPart[];
  /** The reasons of the order so far, which count with the new ones. */
  readonly reasons: readonly FraudReason[];
}

export interface Screening {
  /** Never rejects: when the facts are missing, or arrive over 300 ms after this call, the verdict is REVIEW. */
  assess(size: OrderSize): Promise<FraudAssessment>;
}

export abstract class FraudScreening {
  /**
   * Asks for the facts about an order at once, so that they arrive together with its prices.
   * @param keyId of the key that places the order: the velocity rules leave orders of trusted keys out.
   */
  abstract begin(storeId: number, contact: OrderContact, keyId: string | null): Screening;

  /**
   * Screens an order that was placed without an analysis, or whose contact changes, as of its placement: only earlier
   * orders count. Never rejects: the verdict is REVIEW, for `analysis_unavailable`, when the analysis fails or takes longer
   * than 2 s.
   * @param correction absent: all rules run.
   */
  abstract reassess(
    storeId: number,
    signals: FraudSignals,
    placed: PlacedBefore,
    correction?: Correction,
  ): Promise<FraudAssessment>;

  abstract recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;
}

import { FraudScreening } from '@app/application';
import {
  ANALYSIS_UNAVAILABLE,
  assessFraud,
  type FraudAssessment,
  type FraudSettings,
  type FraudSignals,
} from '@app/domain';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../persistence/database.js';

const BUDGET_MS = 300;

/** Screens by the store's own settings and data. */
@Injectable()
export class StoreFraudScreening extends FraudScreening {
  private readonly logger = new Logger(StoreFraudScreening.name);

  constructor(private readonly database: Database) {
    super();
  }

  override async assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<FraudAssessment>((resolve) => {
      timer = setTimeout(() => resolve(ANALYSIS_UNAVAILABLE), BUDGET_MS);
    });
    const analysis = this.analyse(storeId, signals).catch((error: Error) => {
      this.logger.warn(`Analysis failed, the order goes to review: ${error.name}`);
      return ANALYSIS_UNAVAILABLE;
    });
    return Promise.race([analysis, late]).finally(() => clearTimeout(timer));
  }

  override async recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    await this.database.query(
      `INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons) VALUES ($1, $2, $3, $4, $5)`,
      [storeId, orderId, assessment.verdict, assessment.score, JSON.stringify(assessment.reasons)],
    );
  }

  private async analyse(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    const [store] = await this.database.query<{ fraud_settings: unknown }>(
      `SELECT fraud_settings FROM stores WHERE id = $1`,
      [storeId],
    );
    return assessFraud(signals, readSettings(store?.fraud_settings));
  }
}

/** The settings as the store bundle brings them (snake case), every part optional. */
function readSettings(json: unknown): FraudSettings {
  const settings = (json ?? {}) as Record<string, unknown>;
  return {
    blockedEmails: texts(settings['blocked_emails']),
    blockedPhones: texts(settings['blocked_phones']),
    reviewAmount: typeof settings['review_amount'] === 'number' ? settings['review_amount'] : null,
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

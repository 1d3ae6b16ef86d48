import { ANALYSIS_MS, Deadline, FraudScreening, REASSESSMENT_MS, type PlacedBefore } from '@app/application';
import { ANALYSIS_UNAVAILABLE, assessFraud, NO_BASELINE, type FraudAssessment, type FraudSignals } from '@app/domain';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from '../postgres/data-source.js';
import { Database } from '../postgres/database.js';
import { errorCode } from '../platform/error-code.js';
import { OutageLog } from '../platform/outage-log.js';
import { isDisposableEmail } from './disposable-email.js';
import { findFacts } from './find-facts.js';
import { readBefore } from './time-budget.js';
import { OrderBaselines } from './order-baselines.js';

/** Collects the facts from the store's own data; the domain's rules judge them. */
@Injectable()
export class StoreFraudScreening extends FraudScreening {
  private readonly logger = new Logger(StoreFraudScreening.name);
  private readonly outage = new OutageLog('Analysis', (line) => this.logger.warn(line));
  private readonly baselines = new OrderBaselines();

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {
    super();
  }

  override async assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    return this.analyseIn(ANALYSIS_MS, storeId, signals, null);
  }

  override async reassess(storeId: number, signals: FraudSignals, placed: PlacedBefore): Promise<FraudAssessment> {
    return this.analyseIn(REASSESSMENT_MS, storeId, signals, placed);
  }

  override async recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    await this.database.query(
      `/* fraud.record_rejection */ INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons) VALUES ($1, $2, $3, $4, $5)`,
      [storeId, orderId, assessment.verdict, assessment.score, JSON.stringify(assessment.reasons)],
    );
  }

  private async analyseIn(
    budgetMs: number,
    storeId: number,
    signals: FraudSignals,
    placed: PlacedBefore | null,
  ): Promise<FraudAssessment> {
    const deadline = Deadline.in(budgetMs);
    try {
      return await deadline.bound(this.analyse(storeId, signals, placed, deadline));
    } catch (error) {
      // Logs the error's class only: its message may quote the customer's data.
      const reason = errorCode(error) ?? (error as Error).name;
      this.outage.note(`Analysis unavailable, the order goes to review: ${reason}`);
      return ANALYSIS_UNAVAILABLE;
    }
  }

  private async analyse(
    storeId: number,
    signals: FraudSignals,
    placed: PlacedBefore | null,
    deadline: Deadline,
  ): Promise<FraudAssessment> {
    const known = this.baselines.get(storeId);
    const { settings, baseline, ...counts } = await readBefore(deadline, poolOf(this.dataSource), (run) =>
      findFacts(run, storeId, signals, known === undefined, placed),
    );
    if (baseline) this.baselines.set(storeId, baseline);
    const disposableEmail = isDisposableEmail(signals.email);
    return assessFraud(signals, settings, { ...counts, disposableEmail, baseline: baseline ?? known ?? NO_BASELINE });
  }
}

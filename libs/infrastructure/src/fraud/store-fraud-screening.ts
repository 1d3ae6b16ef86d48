import {
  ANALYSIS_MS,
  Deadline,
  FraudScreening,
  REASSESSMENT_MS,
  type Correction,
  type PlacedBefore,
  type Screening,
} from '@app/application';
import {
  ANALYSIS_UNAVAILABLE,
  assessFraud,
  assessmentOf,
  FRAUD_RULES,
  rulesAbout,
  type FraudAssessment,
  type FraudFacts,
  type FraudRule,
  type FraudSettings,
  type FraudSignals,
  type OrderContact,
} from '@app/domain';
import { Logger } from '@nestjs/common';
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { Database } from '../postgres/database.js';
import type { IsWanted } from '../postgres/read-batches.js';
import { errorCode } from '../platform/error-code.js';
import { OutageLog } from '../platform/outage-log.js';
import { findFacts, type Occasion, type RunSql } from './find-facts.js';

type Facts = FraudFacts & { readonly settings: FraudSettings };

export class StoreFraudScreening extends FraudScreening {
  private readonly logger = new Logger(StoreFraudScreening.name);
  private readonly outage = new OutageLog('Analysis', (line) => this.logger.warn(line));

  constructor(
    private readonly database: Database,
    private readonly rules: readonly FraudRule[] = FRAUD_RULES,
  ) {
    super();
  }

  override begin(storeId: number, contact: OrderContact, keyId: string | null): Screening {
    return this.screen(ANALYSIS_MS, storeId, contact, { keyId });
  }

  override async reassess(
    storeId: number,
    signals: FraudSignals,
    placed: PlacedBefore,
    correction?: Correction,
  ): Promise<FraudAssessment> {
    if (!correction) return this.screen(REASSESSMENT_MS, storeId, signals, placed).assess(signals);
    const rules = rulesAbout(correction.changed, this.rules);
    const found = await this.screen(REASSESSMENT_MS, storeId, signals, placed, rules).assess(signals);
    const known = correction.reasons.filter(({ rule }) => !rules.some(({ name }) => name === rule));
    const assessment = assessmentOf([...known, ...found.reasons]);
    return found.reasons.length > 0 ? assessment : { ...assessment, verdict: 'ACCEPT' };
  }

  override async recordRejection(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    await this.database.query(
      `/* fraud.record_rejection */ INSERT INTO fraud_assessments (store_id, order_id, verdict, score, reasons)
       SELECT $1, $2, $3, $4, $5 WHERE assert_writable($1)`,
      [storeId, orderId, assessment.verdict, assessment.score, JSON.stringify(assessment.reasons)],
    );
  }

  private screen(
    budgetMs: number,
    storeId: number,
    contact: OrderContact,
    occasion: Occasion,
    rules = this.rules,
  ): Screening {
    let isWanted = true;
    const facts = this.collect(storeId, contact, occasion, () => isWanted);
    facts.catch(() => undefined); // `assess` reports the failure, but an order without prices never reaches it
    return {
      assess: async (size) => {
        try {
          const { settings, ...found } = await Deadline.in(budgetMs).bound(facts);
          return assessFraud({ ...contact, ...size }, settings, found, rules);
        } catch (error) {
          // Only the class of the error is logged: its message may quote the customer's data.
          const reason = errorCode(error) ?? (error instanceof Error ? error.name : typeof error);
          this.outage.note(`Fraud analysis is unavailable, so orders are held for review: ${reason}`);
          return ANALYSIS_UNAVAILABLE;
        } finally {
          isWanted = false;
        }
      },
    };
  }

  private async collect(
    storeId: number,
    contact: OrderContact,
    occasion: Occasion,
    isWanted: IsWanted,
  ): Promise<Facts> {
    const run: RunSql = (text, values) => this.database.queryPrepared(text, values, { isWanted });
    const facts = await findFacts(run, storeId, contact, occasion);
    return { ...facts, disposableEmail: isDisposableEmail(contact.email) };
  }
}

// The set is built once: the package's own check builds a set of thousands of domains on every call.
const DOMAINS = disposableEmailBlocklistSet();

/** Whether the e-mail's domain, or a parent domain, belongs to a provider of disposable addresses. */
function isDisposableEmail(email: string): boolean {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .split('.');
  return labels.some((_, index) => DOMAINS.has(labels.slice(index).join('.')));
}

import { SchemaMismatch } from '@app/application';
import { type ErrorFields, JsonLogger, OutageLog, errorCode, errorFields } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import type { Concern } from './describe-error.js';

export abstract class FailureCounts {
  abstract countRefusedOrder(code: string): void;
  abstract countUnusableValue(code: string): void;
}

@Injectable()
export class FailureReports {
  private readonly unavailable = this.outageOf('The database is unavailable', 'warn');
  private readonly late = this.outageOf('The database did not answer in time', 'warn');
  private readonly mismatch = this.outageOf('The database schema does not match this release', 'error');

  constructor(
    private readonly logger: JsonLogger,
    private readonly counts: FailureCounts,
  ) {}

  report(error: unknown, concern: Concern, requestId: string): void {
    if (concern === 'none') return;
    const fields = { request_id: requestId, error: errorFields(error) };
    // An outage affects every request. A stack in each line would add nothing.
    const brief = { ...fields, error: withoutStack(fields.error) };
    if (concern === 'defect') this.logger.write('error', 'A request failed', fields);
    // A schema mismatch is logged as an error: unlike an outage, it does not end without an operator.
    if (error instanceof SchemaMismatch) this.mismatch(brief);
    else if (concern === 'unavailable') this.unavailable(brief);
    if (concern === 'late') this.late(brief);
    if (concern === 'unusable_value') {
      this.counts.countUnusableValue(errorCode((error as Error).cause) ?? '');
      this.logger.write('warn', 'The database rejected a value that passed validation', fields);
    }
  }

  private outageOf(name: string, level: 'warn' | 'error'): (fields: object) => void {
    const outage = new OutageLog(name, (message, fields = {}) => this.logger.write(level, message, { ...fields }));
    return (fields) => outage.note(name, fields);
  }
}

type BriefFields = Omit<ErrorFields, 'stack' | 'cause'> & { readonly cause?: BriefFields };

function withoutStack({ stack: _stack, cause, ...rest }: ErrorFields): BriefFields {
  return { ...rest, ...(cause && { cause: withoutStack(cause) }) };
}

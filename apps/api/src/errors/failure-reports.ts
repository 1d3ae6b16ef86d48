import { SchemaMismatch } from '@app/application';
import { type ErrorFields, JsonLogger, errorCode, errorFields } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import type { Concern } from './describe-error.js';
import { FailureCounts } from './failure-counts.js';

/** Reports failures to the operators, with the details that the answer to the client leaves out. */
@Injectable()
export class FailureReports {
  constructor(
    private readonly logger: JsonLogger,
    private readonly counts: FailureCounts,
  ) {}

  /** @param code the `X-Error-Code` of the answer. */
  countRefusedOrder(code: string): void {
    this.counts.countRefusedOrder(code);
  }

  report(error: unknown, concern: Concern, requestId: string): void {
    if (concern === 'none') return;
    const fields = { request_id: requestId, error: errorFields(error) };
    // An outage affects every request, so the call sites are noise.
    const brief = { ...fields, error: withoutStack(fields.error) };
    if (concern === 'defect') this.logger.write('error', 'A request failed', fields);
    // Operators have to act: an outage ends by itself, a missing table does not.
    if (error instanceof SchemaMismatch)
      this.logger.write('error', 'The database schema is not that of this release', brief);
    else if (concern === 'unavailable') this.logger.write('warn', 'The database is unavailable', brief);
    if (concern === 'late') this.logger.write('warn', 'The database did not answer in time', brief);
    if (concern === 'unusable_value') {
      this.counts.countUnusableValue(errorCode((error as Error).cause) ?? '');
      this.logger.write('warn', 'The database refused a value that validation let pass', fields);
    }
  }
}

type BriefFields = Omit<ErrorFields, 'stack' | 'cause'> & { readonly cause?: BriefFields };

function withoutStack({ stack: _stack, cause, ...rest }: ErrorFields): BriefFields {
  return { ...rest, ...(cause && { cause: withoutStack(cause) }) };
}

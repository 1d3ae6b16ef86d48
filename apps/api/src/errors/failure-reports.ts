import { type ErrorFields, JsonLogger, errorCode, errorFields } from '@app/infrastructure';
import { Injectable } from '@nestjs/common';
import type { Concern } from './describe-error.js';
import { FailureCounts } from './failure-counts.js';
import { refusalOf } from './refusals.js';

/** Tells the operators what the client is not told. */
@Injectable()
export class FailureReports {
  constructor(
    private readonly logger: JsonLogger,
    private readonly counts: FailureCounts,
  ) {}

  /** @param status what the client is told. */
  countRefusal(error: unknown, status: number): void {
    this.counts.countRefusal(refusalOf(error, status));
  }

  report(error: unknown, concern: Concern, requestId: string): void {
    const fields = { request_id: requestId, error: errorFields(error) };
    if (concern === 'defect') this.logger.write('error', 'A request failed', fields);
    if (concern === 'unavailable') {
      // An outage hits every request: where each of them was in the code is noise.
      this.logger.write('warn', 'The database is out of reach', { ...fields, error: withoutStack(fields.error) });
    }
    if (concern === 'unexpected input') {
      this.counts.countUnexpectedInput(errorCode(error) ?? '');
      this.logger.write('warn', 'The database refused a value that validation let pass', fields);
    }
  }
}

function withoutStack({ stack: _stack, cause: _cause, ...rest }: ErrorFields): Partial<ErrorFields> {
  return rest;
}

import { errorCode } from '../persistence/postgres-errors.js';

/** What a log line may say of an error. */
export interface ErrorFields {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  /** The call sites alone. */
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

// Messages that quote a value somebody sent: data exceptions (22) and what SQL functions raise (P0).
const QUOTES_VALUES = /^(22|P0)...$/;
const MAX_MESSAGE = 500;

/**
 * Picks what of an error may be logged, field by field: an error of the database also carries the statement, its
 * parameters and, in `detail`, whole rows.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = errorCode(error);
  const { cause } = error;
  return {
    type: error.constructor.name,
    ...(code ? { code } : {}),
    ...(code && QUOTES_VALUES.test(code) ? {} : { message: error.message.slice(0, MAX_MESSAGE) }),
    // The stack begins with the message, which may have several lines.
    stack: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    ...(cause && depth < 3 ? { cause: errorFields(cause, depth + 1) } : {}),
  };
}

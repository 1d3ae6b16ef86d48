import { errorCode } from './error-code.js';

export interface ErrorFields {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Matches SQLSTATE classes whose messages name objects of the schema, and never a value. */
const NAMES_NO_VALUES = /^(08|23|25|40|42|53|55|57|58)/;
/** Node quotes the argument that it rejects, and JSON.parse the text. */
const QUOTES_ARGUMENTS = /^ERR_INVALID_/;
const MAX_MESSAGE = 500;

/** An error of the database also carries the statement, its parameters and, in `detail`, whole rows. */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = errorCode(error);
  const { cause } = error;
  return {
    type: error.constructor.name,
    ...(code ? { code } : {}),
    // @protects logged-errors
    ...(mayQuote(error) ? {} : { message: error.message.slice(0, MAX_MESSAGE) }),
    // The stack begins with the message.
    stack: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
    ...(cause && depth < 3 ? { cause: errorFields(cause, depth + 1) } : {}),
  };
}

export function mayQuote(error: Error): boolean {
  const code = errorCode(error) ?? '';
  if (error instanceof SyntaxError || QUOTES_ARGUMENTS.test(code)) return true;
  if (!SQLSTATE.test(code)) return false;
  const { driverError = error } = error as { driverError?: Error };
  // A RAISE in a user-defined function may contain any text, under any SQLSTATE.
  const isRaised = (driverError as { routine?: string }).routine === 'exec_stmt_raise';
  return isRaised || !NAMES_NO_VALUES.test(code);
}

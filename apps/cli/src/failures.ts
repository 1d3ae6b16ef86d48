import { ApplicationError, CommitOutcomeUnknown } from '@app/application';
import { ConfigError, errorCode, mayQuote } from '@app/infrastructure';
import { CommanderError } from 'commander';
import { say } from './output.js';

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Messages by the SQLSTATE of `assert_writable`. */
const MOVE_MESSAGES: ReadonlyMap<string | undefined, string> = new Map([
  ['SM001', 'The store is moving to another database: try again shortly'],
  ['SM002', 'The store has moved to another database: use that one'],
]);

export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

export function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // `--help` succeeds. Help that is shown because the command is missing is a usage error.
    return error.code === 'commander.helpDisplayed' || error.code === 'commander.version' ? EXIT.ok : EXIT.usage;
  }
  say(`error: ${sentence(error)}`);
  if (error instanceof CommandFailed) return error.exitCode;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

/**
 * Replaces a message that may quote a value by its code. PostgreSQL's `detail`, which contains values of rows, is never
 * printed.
 */
export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return 'The program threw a value that is not an error';
  const { message, cause } = error;
  const away = MOVE_MESSAGES.get(errorCode(error instanceof ApplicationError ? cause : error));
  if (away) return away;
  if (error instanceof ApplicationError && cause instanceof Error) {
    if (mayQuote(cause)) return `${message} (${codeOf(cause)})${adviceOn(error)}`;
    return error instanceof CommitOutcomeUnknown ? `${message}: ${sentence(cause)}${adviceOn(error)}` : sentence(cause);
  }
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return message === '' || mayQuote(error) ? codeOf(error) : message;
}

function adviceOn(error: ApplicationError): string {
  return error instanceof CommitOutcomeUnknown
    ? '\nCheck whether the change took effect before you repeat the command.'
    : '';
}

function codeOf(error: Error): string {
  return errorCode(error) ?? error.name;
}

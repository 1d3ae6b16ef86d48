import { ApplicationError } from '@app/application';
import { DomainError } from '@app/domain';
import { ConfigError } from '@app/infrastructure';
import { CommanderError } from 'commander';
import { say } from './output.js';

/** The exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** A command that failed, with the message for standard error and the exit code. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

/** Prints the error, unless commander did, and returns the exit code. */
export function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // `--help` succeeds. Help shown because the command is missing is a usage error.
    return error.code === 'commander.helpDisplayed' || error.code === 'commander.version' ? EXIT.ok : EXIT.usage;
  }
  say(`error: ${sentence(error)}`);
  if (error instanceof CommandFailed) return error.exitCode;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

function sentence(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  if (error instanceof ApplicationError && error.cause !== undefined) return sentence(error.cause);
  if (!(error instanceof Error)) return String(error);
  // A refused connection to a name with several addresses is an AggregateError without a message.
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || error.name;
}

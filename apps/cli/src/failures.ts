import { SubdomainTaken } from '@app/application';
import { DomainError } from '@app/domain';
import { ConfigError } from '@app/infrastructure';
import { CommanderError } from 'commander';
import { say } from './output.js';

/** What a shell learns from a command. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** A command that did not do what it was asked to, with the sentence and the exit code to tell. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

/** Says what went wrong, unless commander has, and chooses the exit code. */
export function report(error: unknown): number {
  if (error instanceof CommanderError) {
    // Help that was asked for is a success; help that is shown for want of a command is not.
    return error.code === 'commander.helpDisplayed' || error.code === 'commander.version' ? EXIT.ok : EXIT.usage;
  }
  say(`error: ${sentence(error)}`);
  if (error instanceof CommandFailed) return error.exitCode;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

function sentence(error: unknown): string {
  if (error instanceof DomainError || error instanceof SubdomainTaken) return error.message;
  if (!(error instanceof Error)) return String(error);
  // A refused connection to a name with several addresses is an AggregateError without a text.
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || error.name;
}

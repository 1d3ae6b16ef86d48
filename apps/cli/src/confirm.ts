import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { CommandFailed, EXIT } from './failures.js';
import { prompt } from './output.js';

/** The option of a command that cannot be undone. */
export interface YesOption {
  readonly yes?: boolean;
}

/** Adds the option `--yes`. Without it and without a terminal, the command fails before it does anything. */
export function addYes<Options>(command: Command, isFinal: (options: Options) => boolean = () => true): Command {
  return command.option('--yes', 'skip the confirmation; required without a terminal').hook('preAction', () => {
    const options = command.opts<Options & YesOption>();
    if (options.yes || canAsk() || !isFinal(options)) return;
    throw new CommandFailed('This cannot be undone, and no terminal is attached to confirm it: add --yes.', EXIT.usage);
  });
}

/**
 * @param question names what will be lost: `Revoke the key ERP (…kP9x)?` @throws CommandFailed unless the answer is
 * yes.
 */
export async function confirm(question: string, { yes }: YesOption): Promise<void> {
  if (yes) return;
  prompt(`${question} [y/N]`);
  if (!/^\s*y(es)?\s*$/i.test(await readLine())) throw new CommandFailed('Nothing was changed.');
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns a text such as `2 minutes ago`, in the largest unit of which at least one has passed. */
export function ago(time: Date): string {
  const milliseconds = Math.max(0, Date.now() - time.getTime());
  const [unit, length] = UNITS.find(([, length]) => milliseconds >= length) ?? UNITS[2];
  return new Intl.RelativeTimeFormat('en').format(-Math.floor(milliseconds / length), unit);
}

const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  return new Promise<string>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(''));
  }).finally(() => lines.close());
}

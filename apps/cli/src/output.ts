import { visible } from '@app/infrastructure';
import { printable } from './printable.js';
import { textOf } from './table.js';

let isJsonAsked = false;

/** Records the option `--json` before the command runs. */
export function askForJson(isAsked: boolean): void {
  isJsonAsked = isAsked;
}

const isText = (): boolean => process.stdout.isTTY && !isJsonAsked;

/**
 * Prints the result of a command as JSON, or as a table on a terminal without `--json`.
 * @param shown what is printed on a terminal.
 */
export function print(value: object, shown = value): void {
  if (isText()) process.stdout.write(`${textOf(shown, process.stdout.columns || Infinity)}\n`);
  else printJson(value);
}

/**
 * Prints a secret. On a terminal, it is the only output on standard output. In JSON, it is the second field, after the
 * id.
 */
export function printWithSecret(name: string, secret: string, record: { readonly id: string }): void {
  const { id, ...rest } = record;
  if (!isText()) return printJson({ id, [name]: secret, ...rest });
  say(textOf(record));
  process.stdout.write(`${secret}\n`);
}

/** Prints JSON in which no character controls a terminal. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

/** Prints a text, which may repeat the input, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Prints a question; the answer follows on the same line. */
export function prompt(text: string): void {
  process.stderr.write(`${printable(text)} `);
}

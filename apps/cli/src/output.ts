import { visible } from '@app/infrastructure';
import { printable } from './printable.js';
import { textOf } from './table.js';

let isJsonAsked = false;

/** Notes the option `--json` before the command runs. */
export function askForJson(isAsked: boolean): void {
  isJsonAsked = isAsked;
}

const isText = (): boolean => process.stdout.isTTY && !isJsonAsked;

/**
 * The result of a command: JSON, or a table on a terminal without `--json`.
 * @param shown on a terminal.
 */
export function print(value: object, shown = value): void {
  if (isText()) process.stdout.write(`${textOf(shown, process.stdout.columns || Infinity)}\n`);
  else printJson(value);
}

/** On a terminal the secret has standard output alone. It is the second field of the JSON, after the id. */
export function printWithSecret(name: string, secret: string, record: { readonly id: string }): void {
  const { id, ...rest } = record;
  if (!isText()) return printJson({ id, [name]: secret, ...rest });
  say(textOf(record));
  process.stdout.write(`${secret}\n`);
}

/** No character of it controls a terminal. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

/** It may repeat the input, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** A question: the answer follows on its line. */
export function prompt(text: string): void {
  process.stderr.write(`${printable(text)} `);
}

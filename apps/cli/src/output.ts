import { visible } from '@app/infrastructure';

/** Prints the result of a command as one line of JSON on standard output. No character of it controls a terminal. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

/** Prints the result of a command as text for people on standard output. */
export function printText(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints text for people on standard error. It may repeat the input, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Shortens every API key and webhook secret in the text to its prefix, and escapes the characters that a terminal obeys or hides. */
export function printable(text: string): string {
  return visible(text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…').replace(/(whsec_)[\w+/=]+/gi, '$1…'));
}

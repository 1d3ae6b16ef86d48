import { visible } from '@app/infrastructure';

/** No character of it controls a terminal. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visible(JSON.stringify(value))}\n`);
}

export function printText(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** It may repeat the input, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Shortens API keys and webhook secrets, and escapes what a terminal obeys or hides. */
export function printable(text: string): string {
  return visible(text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…').replace(/(whsec_)[\w+/=]+/gi, '$1…'));
}

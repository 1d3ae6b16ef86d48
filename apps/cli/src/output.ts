/** Prints the result of a command as one line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints text for people on standard error. It may repeat the input, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Shortens every API key in the text to its prefix, and replaces the control characters that a terminal obeys. */
export function printable(text: string): string {
  return text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…').replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

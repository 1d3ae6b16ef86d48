/** The result of a command, for programs: one line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Words for people, on standard error. They may repeat what was typed, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** The text with every API key in it cut down to what its kind is, and without what a terminal takes for a command. */
export function printable(text: string): string {
  return text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…').replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

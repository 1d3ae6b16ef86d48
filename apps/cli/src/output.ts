/** The result of a command, for programs: one line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Words for people, on standard error. They may repeat what was typed, but never a key. */
export function say(text: string): void {
  process.stderr.write(`${withoutKeys(text)}\n`);
}

/** The text with every API key in it cut down to what its kind is. */
export function withoutKeys(text: string): string {
  return text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…');
}

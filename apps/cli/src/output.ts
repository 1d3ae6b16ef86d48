/** The result of a command, for programs: one line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Words for people, on standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

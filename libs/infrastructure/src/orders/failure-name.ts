/** What may be kept of a failure: its code or class, never its text, which may hold personal data. */
export function failureName(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

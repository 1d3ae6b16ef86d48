/** The code or class of a failure. Its text is never stored: it may hold personal data. */
export function failureName(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

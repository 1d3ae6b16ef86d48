/** Whether any credential is configured. `{}`, blank texts, nulls and empty lists at any depth do not count. */
export function holdsCredentials(credentials: unknown): boolean {
  if (credentials === null || credentials === undefined) return false;
  if (typeof credentials === 'string') return credentials.trim() !== '';
  return typeof credentials !== 'object' || Object.values(credentials).some(holdsCredentials);
}

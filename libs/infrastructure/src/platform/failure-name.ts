import { ApplicationError } from '@app/application';

/**
 * The code or class of a failure, which may be stored and logged. Its text may hold personal data. A translated error of
 * the database shows as its SQLSTATE.
 */
export function failureName(error: Error): string {
  const source = error instanceof ApplicationError && error.cause instanceof Error ? error.cause : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : source.name;
}

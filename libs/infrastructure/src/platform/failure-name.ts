import { ApplicationError } from '@app/application';

/** Returns the code or the class of an error, without its text, which may hold personal data. */
export function failureName(error: Error): string {
  const source = error instanceof ApplicationError && error.cause instanceof Error ? error.cause : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : source.name;
}

import { ApplicationError } from '@app/application';

/** Without the text, which may hold personal data. */
export function failureName(error: Error): string {
  const source = error instanceof ApplicationError && error.cause instanceof Error ? error.cause : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : source.name;
}

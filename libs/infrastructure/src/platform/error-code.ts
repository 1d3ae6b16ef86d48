import { ApplicationError } from '@app/application';

/** Returns the SQLSTATE, or Node's code, of an error of pg, TypeORM or Node. */
export function errorCode(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as { readonly code?: string; readonly driverError?: { code?: string } };
  return driverError?.code ?? code;
}

/** Returns the code or the class of an error, without its text, which may hold personal data. */
export function failureName(error: Error): string {
  const source = error instanceof ApplicationError && error.cause instanceof Error ? error.cause : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : source.name;
}

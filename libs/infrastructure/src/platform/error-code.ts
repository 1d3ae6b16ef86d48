/** The SQLSTATE, or Node's code, of an error of pg, TypeORM or Node. */
export function errorCode(error: unknown): string | undefined {
  const { code, driverError } = (error ?? {}) as { readonly code?: string; readonly driverError?: { code?: string } };
  return driverError?.code ?? code;
}

export interface Page {
  readonly limit: number;
  readonly page: number;
}

export function list(data: readonly unknown[], total: number, { page, limit }: Page) {
  return { success: true, data, pagination: { total, page, limit } };
}

export function single(data: unknown) {
  return { success: true, data };
}

export function notFound(what: string): Error {
  return Object.assign(new Error(`${what} not found`), { statusCode: 404 });
}

/** Formats USD, the currency of all bench stores. @param minor a bigint as text, as pg returns it. */
export function decimal(minor: string): number {
  return Number(minor) / 100;
}

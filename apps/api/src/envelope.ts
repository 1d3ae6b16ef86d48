import type { Page } from '@app/application';

export interface ListEnvelope<T> {
  readonly success: true;
  readonly data: readonly T[];
  readonly pagination: { readonly total: number; readonly page: number; readonly limit: number };
}

export interface SingleEnvelope<T> {
  readonly success: true;
  readonly data: T;
}

export function list<T>(data: readonly T[], total: number, { page, limit }: Page): ListEnvelope<T> {
  return { success: true, data, pagination: { total, page, limit } };
}

/** Returns one page of a few rows that were read together. */
export function listPage<T>(all: readonly T[], page: Page): ListEnvelope<T> {
  return list(all.slice((page.page - 1) * page.limit, page.page * page.limit), all.length, page);
}

export function single<T>(data: T): SingleEnvelope<T> {
  return { success: true, data };
}

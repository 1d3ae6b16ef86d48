import type { Page, PageOf } from '@app/application';

/** Newest first; rows with the same date by descending id. */
export function newestFirst<T extends { readonly id: string | number; readonly createdAt: Date }>(a: T, b: T): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
}

export function pageOf<T>(rows: readonly T[], { page, limit }: Page): PageOf<T> {
  return { rows: rows.slice((page - 1) * limit, page * limit), total: rows.length };
}

export function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

export function sameWord(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Ascending by the first key; rows with the same value by the next key. */
export function ascending<T>(...keys: readonly ((row: T) => string | number)[]): (a: T, b: T) => number {
  return (a, b) => {
    const key = keys.find((of) => of(a) !== of(b));
    if (!key) return 0;
    return key(a) < key(b) ? -1 : 1;
  };
}

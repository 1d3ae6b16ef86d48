import { crc32 } from 'node:zlib';

/**
 * Random values in SQL that are a function of a row's number and of the seed alone, so that a seed makes the same store
 * again, in chunks of any size, and what refers to a row can say what is in it without a join.
 */
export class Draws {
  constructor(private readonly seed: number) {}

  /** SQL for an integer from 0 up to, not including, `limit`. @param what tells draws of the same row apart. */
  below(limit: number | string, n: string, what: string): string {
    return `((hashint8extended(${n}, ${this.saltOf(what)}) & 9223372036854775807) % ${limit})`;
  }

  oneOf(values: readonly string[], n: string, what: string): string {
    const texts = values.map((value) => `'${value}'`).join(', ');
    return `(ARRAY[${texts}])[1 + ${this.below(values.length, n, what)}]`;
  }

  /** One of the names, as often as its per cent say. */
  weighted(percent: Readonly<Record<string, number>>, n: string, what: string): string {
    let sum = 0;
    const bounds = Object.entries(percent).map(([name, share]) => `WHEN drawn < ${(sum += share)} THEN '${name}'`);
    return `(SELECT CASE ${bounds.join(' ')} END FROM (SELECT ${this.below(sum, n, what)} AS drawn) AS draw)`;
  }

  /** An id as the service makes them: the time first, the rest random. */
  uuid(at: string, n: string, what: string): string {
    const milliseconds = `lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0')`;
    const random = `substr(md5(${n} || '/${this.saltOf(what)}'), 13)`;
    return `overlay(overlay(${milliseconds} || ${random} PLACING '7' FROM 13) PLACING '8' FROM 17)::uuid`;
  }

  private saltOf(what: string): number {
    return crc32(`${this.seed}/${what}`);
  }
}

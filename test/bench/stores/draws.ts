import { crc32 } from 'node:zlib';

/**
 * Random values in SQL that depend only on a row's number and the seed. A seed therefore reproduces a store in chunks
 * of any size, and a reference can compute the contents of its target row without a join.
 */
export class Draws {
  constructor(private readonly seed: number) {}

  /** SQL for an integer from 0 up to, not including, `limit`. @param what distinguishes draws for the same row. */
  below(limit: number | string, n: string, what: string): string {
    return `((hashint8extended(${n}, ${this.saltOf(what)}) & 9223372036854775807) % ${limit})`;
  }

  oneOf(values: readonly string[], n: string, what: string): string {
    const texts = values.map((value) => `'${value}'`).join(', ');
    return `(ARRAY[${texts}])[1 + ${this.below(values.length, n, what)}]`;
  }

  /** One of the names, with its probability in per cent. */
  weighted(percent: Readonly<Record<string, number>>, n: string, what: string): string {
    let sum = 0;
    const bounds = Object.entries(percent).map(([name, share]) => `WHEN drawn < ${(sum += share)} THEN '${name}'`);
    return `(SELECT CASE ${bounds.join(' ')} END FROM (SELECT ${this.below(sum, n, what)} AS drawn) AS draw)`;
  }

  /** An id in the service's format: the time first, the rest random. */
  uuid(at: string, n: string, what: string): string {
    const milliseconds = `lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0')`;
    const random = `substr(md5(${n} || '/${this.saltOf(what)}'), 13)`;
    return `overlay(overlay(${milliseconds} || ${random} PLACING '7' FROM 13) PLACING '8' FROM 17)::uuid`;
  }

  private saltOf(what: string): number {
    return crc32(`${this.seed}/${what}`);
  }
}

import { crc32 } from 'node:zlib';

const FIRST = 'Ada,Ben,Cleo,Dora,Emil,Fay,Gus,Hana,Ivo,Jun,Kira,Liam,Mona,Noor,Otto,Pia,Quinn,Rosa,Sven,Tara'.split(
  ',',
);
const LAST = 'Abbott,Baker,Chen,Diaz,Evans,Fox,Garcia,Hughes,Ito,Jansen,Kumar,Lopez,Meyer,Novak,Okafor,Perez'.split(
  ',',
);
const CITIES = 'Portland,Springfield,Lisbon,Graz,Leeds,Kyoto,Bergen,Turin,Gdansk,Cork'.split(',');

/** Random values in SQL by row number and seed alone, so that a reference can compute its target row without a join. */
export class Draws {
  constructor(private readonly seed: number) {}

  below(limit: number | string, n: string, what: string): string {
    return `((hashint8extended(${n}, ${this.saltOf(what)}) & 9223372036854775807) % ${limit})`;
  }

  oneOf(values: readonly string[], n: string, what: string): string {
    const texts = values.map((value) => `'${value}'`).join(', ');
    return `(ARRAY[${texts}])[1 + ${this.below(values.length, n, what)}]`;
  }

  weighted(percent: Readonly<Record<string, number>>, n: string, what: string): string {
    let sum = 0;
    const bounds = Object.entries(percent).map(([name, share]) => `WHEN drawn < ${(sum += share)} THEN '${name}'`);
    return `(SELECT CASE ${bounds.join(' ')} END FROM (SELECT ${this.below(sum, n, what)} AS drawn) AS draw)`;
  }

  uuid(at: string, n: string, what: string): string {
    const milliseconds = `lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0')`;
    const random = `substr(md5(${n} || '/${this.saltOf(what)}'), 13)`;
    return `overlay(overlay(${milliseconds} || ${random} PLACING '7' FROM 13) PLACING '8' FROM 17)::uuid`;
  }

  private saltOf(what: string): number {
    return crc32(`${this.seed}/${what}`);
  }
}

export class People {
  constructor(private readonly draws: Draws) {}

  id(k: string): string {
    return this.draws.uuid(this.since(k), k, 'customer');
  }

  /** A date before all orders: in the four years before the last two. */
  since(k: string): string {
    return `('2019-01-01T08:00:00Z'::timestamptz + interval '1 minute' * (${k} % 1500000))`;
  }

  name(k: string): string {
    return `${this.draws.oneOf(FIRST, k, 'first')} || ' ' || ${this.draws.oneOf(LAST, k, 'last')}`;
  }

  email(k: string): string {
    return `lower(replace(${this.name(k)}, ' ', '.')) || '.' || lpad((${k})::text, 7, '0') || '@example.com'`;
  }

  phone(k: string): string {
    return `'+1 555 ' || lpad((${k})::text, 7, '0')`;
  }

  city(k: string): string {
    return this.draws.oneOf(CITIES, k, 'city');
  }

  address(k: string): string {
    return `jsonb_build_object('address', (${k} % 900 + 1) || ' Harbor Street ' || ${k}, 'city', ${this.city(k)},
      'zip', lpad((${k} % 90000)::text, 5, '0'))`;
  }
}

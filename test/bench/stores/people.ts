import type { Draws } from './draws.js';

const FIRST = 'Ada,Ben,Cleo,Dora,Emil,Fay,Gus,Hana,Ivo,Jun,Kira,Liam,Mona,Noor,Otto,Pia,Quinn,Rosa,Sven,Tara'.split(
  ',',
);
const LAST = 'Abbott,Baker,Chen,Diaz,Evans,Fox,Garcia,Hughes,Ito,Jansen,Kumar,Lopez,Meyer,Novak,Okafor,Perez'.split(
  ',',
);
const CITIES = 'Portland,Springfield,Lisbon,Graz,Leeds,Kyoto,Bergen,Turin,Gdansk,Cork'.split(',');

/** SQL for the data of customer number `k`, derived from that number alone. */
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

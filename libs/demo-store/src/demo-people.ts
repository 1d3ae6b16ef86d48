import type { BundleAddress } from '@app/bundles';
import { CITIES, FAMILY_NAMES, GIVEN_NAMES, STREETS } from './demo-data.js';
import type { SeededRandom } from './seeded-random.js';

const AREA_CODES = ['207', '603', '802', '617', '508', '401', '860', '518'];

/** A person who can place an order, with or without an account. */
export interface DemoPerson {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly address: Required<BundleAddress>;
}

/** `count` people with different e-mail addresses and, up to 799 of them, different phone numbers. */
export function demoPeople(count: number, random: SeededRandom): DemoPerson[] {
  const names = GIVEN_NAMES.flatMap((given) => FAMILY_NAMES.map((family) => [given, family] as const));
  return random.sample(names, count).map(([given, family], index) => {
    const [city, zipPrefix] = random.pick(CITIES);
    return {
      name: `${given} ${family}`,
      email: `${emailPart(given)}.${emailPart(family)}@example.${random.chance(70) ? 'com' : 'org'}`,
      phone: fictionalPhone(index + 1), // 0 is the shop's own number
      address: {
        address: `${random.integer(1, 240)} ${random.pick(STREETS)}`,
        city,
        zip: zipPrefix + String(random.integer(1, 99)).padStart(2, '0'),
      },
    };
  });
}

/** Numbers 555-0100 to 555-0199 of every area code are reserved for fiction. */
function fictionalPhone(index: number): string {
  const area = AREA_CODES[Math.floor(index / 100) % AREA_CODES.length] ?? '207';
  return `+1-${area}-555-01${String(index % 100).padStart(2, '0')}`;
}

function emailPart(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}

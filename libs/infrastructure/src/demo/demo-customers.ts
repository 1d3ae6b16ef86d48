import type { BundleAddress, CustomerLine } from '../import/bundle.js';
import type { DemoOrder } from './demo-orders.js';
import { CITIES, FAMILY_NAMES, GIVEN_NAMES, STREETS } from './demo-data.js';
import type { SeededRandom } from './seeded-random.js';

const DAY_MS = 86_400_000;
const AREA_CODES = ['207', '603', '802', '617', '508', '401', '860', '518'];

/** Who a person is: enough to place an order, with or without an account. */
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

/**
 * The account of a person, consistent with the orders placed with it: older than the first of them, and `total_spent`
 * is what was paid and not refunded.
 */
export function demoCustomer(
  store: string,
  person: DemoPerson,
  orders: readonly DemoOrder[],
  now: Date,
  random: SeededRandom,
): CustomerLine {
  const paid = orders.filter(({ line }) => line.status === 'SUCCEEDED');
  const totalSpent = paid.reduce((sum, { line }) => sum + line.total_amount, 0);
  const joined = now.getTime() - random.integer(DAY_MS, 900 * DAY_MS);
  const firstOrder = Math.min(...orders.map(({ placedAt }) => placedAt.getTime()));
  const createdAt = Math.min(joined, firstOrder - random.integer(60_000, 600_000));
  const verified = random.chance(85);
  const lastLogin = createdAt + Math.floor(random.fraction() * (now.getTime() - createdAt));

  return {
    kind: 'customer',
    store,
    id: random.uuid(),
    name: person.name,
    email: person.email,
    phone: random.chance(90) ? person.phone : '',
    status: random.chance(94) ? 'Active' : random.pick(['Inactive', 'Blocked']),
    email_verified: verified,
    loyalty_points: Math.floor(totalSpent / 1000),
    total_spent: totalSpent,
    tags: tagsOf(person, paid.length, random),
    city: person.address.city,
    created_at: new Date(createdAt).toISOString(),
    last_login: random.chance(85) ? new Date(lastLogin).toISOString() : null,
    ...privateFields(verified, random),
  };
}

function tagsOf({ address }: DemoPerson, paidOrders: number, random: SeededRandom): string[] {
  const tags: string[] = [];
  if (paidOrders >= 15) tags.push('vip');
  if (address.city === 'Portland') tags.push('local');
  if (random.chance(40)) tags.push('newsletter');
  if (random.chance(4)) tags.push('wholesale');
  return tags;
}

/** A few accounts carry what must never come out again. Obviously fake: no hash of anything, no number ever issued. */
function privateFields(
  verified: boolean,
  random: SeededRandom,
): Pick<CustomerLine, 'password_hash' | 'verification_token' | 'national_id'> {
  const suffix = String(random.integer(1, 9999)).padStart(4, '0');
  if (!random.chance(6)) return {};
  return {
    password_hash: `fake-password-hash-${suffix}`,
    ...(verified ? {} : { verification_token: `fake-verification-token-${suffix}` }),
    national_id: `000-00-${suffix}`,
  };
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

import type { CustomerLine } from '@app/bundles';
import type { DemoOrder } from './demo-orders.js';
import type { DemoPerson } from './demo-people.js';
import type { SeededRandom } from './seeded-random.js';

const DAY_MS = 86_400_000;

/**
 * A person's account, consistent with that person's orders: it is older than the first order, and `total_spent` is the
 * amount paid and not refunded.
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

/**
 * A few accounts hold values that no response may contain. They are obviously fake: neither a real hash nor a real id.
 */
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

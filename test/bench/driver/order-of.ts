import type { Item, Orders } from './job.js';

/** A typical order of buyer number `n` of that kind. Each buyer has a unique name and address. */
export function orderOf(
  { items, lines }: Omit<Orders, 'kind'>,
  kind: string,
  n: number,
  random: (below: number) => number,
) {
  const line = () => ({ ...(items[random(items.length)] as Item), quantity: 1 + random(2) });
  return {
    items: Array.from({ length: lines }, line),
    customer: {
      name: `Buyer ${n}`,
      email: `${kind}.${n}@example.com`,
      phone: `+44 ${kind.length} ${String(n).padStart(9, '0')}`,
      address: `${n} ${kind} Road`,
      city: 'Leeds',
      zip: 'LS1 4AP',
    },
    payment_method: 'COD',
    notes: '',
  };
}

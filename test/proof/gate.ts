import { PROOFS } from './proofs.js';

/**
 * The specs in which `npm test` looks at a promise, by proof. The others are looked at by the quick form of their proof,
 * because no spec tests the same.
 */
const SPECS: Readonly<Record<string, readonly string[]>> = {
  oversell: ['test/e2e/placing.spec.ts', 'test/contracts/order-placement.spec.ts'],
  idempotency: [
    'test/contracts/order-placement.spec.ts',
    'test/e2e/placing.spec.ts',
    'test/e2e/database-failures.spec.ts',
    'test/e2e/erase-customer.spec.ts',
  ],
  pipeline: [
    'test/contracts/pipeline-stages.spec.ts',
    'test/e2e/pipeline.spec.ts',
    'test/e2e/database-failures.spec.ts',
  ],
  life: [
    'test/contracts/order-lifecycle.spec.ts',
    'test/contracts/order-history.spec.ts',
    'test/e2e/order-changes.spec.ts',
    'test/e2e/pipeline.spec.ts',
  ],
  stock: ['test/e2e/stock.spec.ts', 'test/e2e/stock-model.spec.ts'],
  changes: ['test/e2e/feed.spec.ts', 'test/e2e/feed-records.spec.ts'],
  webhooks: ['test/contracts/webhooks.spec.ts', 'test/contracts/webhook-sender.spec.ts', 'test/e2e/webhooks.spec.ts'],
  revoke: ['test/contracts/api-keys.spec.ts', 'test/e2e/feed.spec.ts', 'test/e2e/access.spec.ts'],
  'slow-proxy': ['test/e2e/http.spec.ts'],
  overload: ['test/e2e/overload.spec.ts'],
  migrate: ['test/contracts/migrations.spec.ts'],
  embedded: ['packages/embedded-postgres/src/embedded-postgres.spec.ts'],
  failover: ['test/e2e/synchronous-replication.spec.ts'],
};

/** The proofs whose quick form `npm test` runs. */
export const QUICK_PROOFS = PROOFS.filter(({ name }) => !(name in SPECS));

/** Where `npm test` looks at the promise of a proof: the paths of specs; `null` = at the quick form of the proof. */
export function specsOf(name: string): readonly string[] | null {
  return SPECS[name] ?? null;
}

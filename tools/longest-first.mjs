import { existsSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

/**
 * Files of more than 25 s, roughly longest first; those that mostly wait are paired with others. Without the list, a
 * new checkout starts them by size, and ends with only one process at work.
 */
const SLOWEST = [
  'test/proof/quick-1.spec.ts',
  'test/contracts/store-moves.spec.ts',
  'test/e2e/dashboard-pages.spec.ts',
  'test/proof/quick-2.spec.ts',
  'test/e2e/documentation.spec.ts',
  'test/e2e/dashboard-changes.spec.ts',
  'test/contracts/lists.spec.ts',
  'test/e2e/export-store.spec.ts',
  'test/e2e/dashboard-failures.spec.ts',
  'test/e2e/extending.spec.ts',
  'test/e2e/pipeline.spec.ts',
  'test/smoke/first-start.spec.ts',
  'test/smoke/package.spec.ts',
  'test/e2e/dashboard-prices.spec.ts',
  'test/e2e/dashboard-lists.spec.ts',
  'test/e2e/feed.spec.ts',
];

/** Starts the longest files first, and the others as Vitest does. */
export default class SlowestFirst extends BaseSequencer {
  async sort(specifications) {
    const missing = SLOWEST.filter((name) => !existsSync(name));
    if (missing.length > 0)
      throw new Error(`tools/longest-first.mjs names files that do not exist: ${missing.join(', ')}`);
    const place = ({ moduleId }) => {
      const index = SLOWEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? SLOWEST.length : index;
    };
    return (await super.sort(specifications)).sort((a, b) => place(a) - place(b));
  }
}

import { randomInt } from 'node:crypto';
import { seededRandom } from '../support/seeded-random.js';
import { createTestDatabase } from '../support/test-database.js';
import { PROOFS } from './proofs.js';
import { History } from './support/history.js';
import { failureFile } from './support/results.js';
import { Rig } from './support/rig.js';

const QUICK = PROOFS.filter(({ quick }) => quick);

/** A proof takes seconds on an idle machine. A busy machine must not fail it. */
const PATIENCE_MS = 90_000;

// The quick form of the proofs, on the tests' PostgreSQL. `npm run proof` runs the full form, with durability.
describe('the quick proof', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = new Rig(await createTestDatabase(), null);
    await rig.pair();
  }, PATIENCE_MS);
  afterAll(() => rig.close());

  describe.each(QUICK)('$name', (proof) => {
    it(
      `shows: ${proof.promise}`,
      async () => {
        const seed = Number(process.env['PROOF_SEED'] ?? randomInt(1_000_000));
        const history = new History();

        const { violations } = await proof.run({ form: 'quick', rig, history, seed, random: seededRandom(seed) });

        if (violations.length > 0) history.save(failureFile(proof.name, seed));
        expect({ seed, violations }).toEqual({ seed, violations: [] });
      },
      PATIENCE_MS,
    );
  });
});

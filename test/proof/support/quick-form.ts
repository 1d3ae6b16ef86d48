import { randomInt } from 'node:crypto';
import { seededRandom } from '../../support/seeded-random.js';
import { createTestDatabase } from '../../support/test-database.js';
import { PROOFS } from '../proofs.js';
import { History } from './history.js';
import { failureFile, readRows, SHORT_FORM } from './results.js';
import { Rig } from './rig.js';

/** A proof takes seconds on an idle machine, the one of moves 40. The limit allows for a busy machine. */
const TIMEOUT_MS = 600_000;

const QUICK_PROOFS = PROOFS.filter(({ name }) => readRows().get(name)?.inTest === SHORT_FORM);

/** Two files share the quick forms, because one would take longer than all other tests. */
export function testEverySecondProof(first: 0 | 1): void {
  let rig: Rig;
  beforeAll(async () => {
    rig = new Rig(await createTestDatabase(), null);
  });
  afterAll(() => rig.close());

  describe.each(QUICK_PROOFS.filter((_, index) => index % 2 === first))('the quick proof $name', (proof) => {
    it(
      'finds no violation',
      async () => {
        const seed = Number(process.env['PROOF_SEED'] ?? randomInt(1_000_000));
        const history = new History();
        const own = await proof.openRig?.();
        const context = { form: 'quick', rig: own ?? rig, history, seed, random: seededRandom(seed) } as const;

        const { violations } = await proof.run(context).finally(() => own?.close());

        if (violations.length > 0) history.save(failureFile(proof.name, seed));
        expect({ seed, violations }).toEqual({ seed, violations: [] });
      },
      TIMEOUT_MS,
    );
  });
}

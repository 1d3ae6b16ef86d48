import { existsSync } from 'node:fs';
import { QUICK_PROOFS, specsOf } from './gate.js';
import { NAMED_PROOFS } from './proofs.js';

describe('npm test looks at the promise of each proof', () => {
  it.each(NAMED_PROOFS.map(({ name }) => name))('%s', (name) => {
    const missing = specsOf(name)?.filter((spec) => !existsSync(spec));

    expect(missing ?? QUICK_PROOFS.filter((proof) => proof.name === name && !proof.quick)).toEqual([]);
  });
});

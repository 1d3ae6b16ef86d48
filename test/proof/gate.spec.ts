import { existsSync } from 'node:fs';
import { QUICK_PROOFS, specsOf } from './gate.js';
import { NAMED_PROOFS } from './proofs.js';
import { readRows, rowOf } from './support/results.js';

describe('npm test looks at the promise of each proof', () => {
  it.each(NAMED_PROOFS.map(({ name }) => name))('%s', (name) => {
    const missing = specsOf(name)?.filter((spec) => !existsSync(spec));

    expect(missing ?? QUICK_PROOFS.filter((proof) => proof.name === name && !proof.quick)).toEqual([]);
  });
});

describe('docs/promises.md', () => {
  it('has the promise, the attack and the specs of each proof', () => {
    const rows = readRows();
    const expected = NAMED_PROOFS.map((proof) => rowOf(proof, rows.get(proof.name)?.split(' | ')[3] ?? 'none'));

    expect([...rows.values()]).toEqual(expected);
  });
});

import { existsSync } from 'node:fs';
import { NAMED_PROOFS } from './proofs.js';
import { readRows, SHORT_FORM } from './support/results.js';

describe('docs/promises.md', () => {
  const rows = readRows();

  it('has a row for each proof, and no other', () => {
    expect([...rows.keys()]).toEqual(NAMED_PROOFS.map(({ name }) => name));
  });

  it.each(NAMED_PROOFS)('names where npm test looks at the promise of $name', ({ name, fullOnly }) => {
    const inTest = rows.get(name)?.inTest ?? '';
    const specs = [...inTest.matchAll(/\]\(\.\.\/([\w./-]+\.spec\.ts)\)/g)].map(([, spec = '']) => spec);

    expect(inTest === SHORT_FORM ? !fullOnly : specs.length > 0).toBe(true);
    expect(specs.filter((spec) => !existsSync(spec))).toEqual([]);
  });
});

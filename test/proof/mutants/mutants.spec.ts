import { MUTANTS } from './mutants.js';
import { tagsIn } from './tags.js';

describe('the mutants', () => {
  const tags = tagsIn('.');
  const used = MUTANTS.flatMap(({ edits }) => edits.map(([tag]) => tag));

  it('find each of their tags once', () => {
    expect(used.filter((tag) => tags.get(tag)?.length !== 1)).toEqual([]);
  });

  it('leave no tag without a mutant', () => {
    expect([...tags.keys()].filter((tag) => !used.includes(tag))).toEqual([]);
  });
});

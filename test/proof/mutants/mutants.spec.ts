import { readFileSync } from 'node:fs';
import { MUTANTS } from './mutants.js';

describe('the mutants', () => {
  it.each(MUTANTS.flatMap(({ name, edits }) => edits.map((edit) => [name, edit] as const)))(
    'edit a text that occurs once: %s',
    (_name, [file, find]) => {
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
    },
  );
});

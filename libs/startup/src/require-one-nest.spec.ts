import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requireOneNest, TwoCopiesOfNest } from './require-one-nest.js';

describe('the start of an application that extends the service', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'nest-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each([
    ['has the same copy of Nest', __filename],
    ['has none', path.join(directory, 'main.js')],
  ])('goes on when its main file %s', (_state, program) => {
    expect(() => requireOneNest(program)).not.toThrow();
  });

  it('names both copies of Nest when its main file has another one', () => {
    const application = path.join(directory, 'application');
    const copy = path.join(application, 'node_modules/@nestjs/common');
    mkdirSync(copy, { recursive: true });
    writeFileSync(path.join(copy, 'index.js'), '');

    const start = () => requireOneNest(path.join(application, 'main.js'));

    expect(start).toThrow(TwoCopiesOfNest);
    expect(start).toThrow(copy);
  });
});

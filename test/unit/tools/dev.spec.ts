import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../../support/eventually.js';

const DEV = path.resolve(import.meta.dirname, '../../../tools/dev.mjs');
const SOURCE = 'apps/api/src/source.ts';

describe('tools/dev.mjs', () => {
  let folder: string;
  let dev: ChildProcess;
  const file = (name: string) => path.join(folder, name);
  const write = (name: string, text: string, mode = 0o600) => {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text, { mode });
  };
  const starts = () => readFileSync(file('starts'), 'utf8').split('\n').filter(Boolean).map(Number);
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'dev-test-'));
    write(SOURCE, 'export {};');
    write('libs/domain/src/index.ts', 'export {};');
    write('starts', '');
    write('package.json', '{ "type": "module" }');
    write(
      'dist/apps/api/src/main.js',
      `import { appendFileSync } from 'node:fs';
       appendFileSync('starts', process.pid + '\\n');
       setTimeout(() => undefined, 60_000);`,
    );
    write('bin/nest', '#!/bin/sh\n', 0o700);
    const PATH = `${file('bin')}:${process.env.PATH}`;
    dev = spawn(process.execPath, [DEV], { cwd: folder, env: { PATH }, stdio: 'ignore' });
    await eventually(() => expect(starts()).toHaveLength(1));
  });
  afterEach(() => {
    dev.kill('SIGKILL');
    for (const pid of starts().filter(isRunning)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('restarts the API whenever a file is saved, although each save replaces the file', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500)); // the watcher needs this time
    for (let save = 1; save <= 3; save++) {
      write(`${SOURCE}.tmp`, `export const save = ${save};`);
      renameSync(file(`${SOURCE}.tmp`), file(SOURCE));
      await eventually(() => expect(starts()).toHaveLength(save + 1), 5_000);
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends the API and itself at %s', async (signal) => {
    const ended = once(dev, 'exit');
    dev.kill(signal);

    expect(await ended).toEqual([0, null]);
    expect(starts().filter(isRunning)).toEqual([]);
  });
});

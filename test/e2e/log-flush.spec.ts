import { spawnSync } from 'node:child_process';
import path from 'node:path';

const LOGGER = path.resolve(import.meta.dirname, '../../dist/libs/infrastructure/src/logging/json-logger.js');

/** Runs a process that logs in the way of the built service, and returns what arrived. */
function messagesOf(script: string): unknown[] {
  const source = `import { JsonLogger } from ${JSON.stringify(LOGGER)}; const logger = new JsonLogger('info'); ${script}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);
}

describe('lines that were collected', () => {
  it('are written when the process exits', () => {
    expect(messagesOf(`logger.log('first'); logger.log('last'); process.exit(0);`)).toEqual(['first', 'last']);
  });

  it('are written before a fatal line returns, whatever comes then', () => {
    expect(messagesOf(`logger.log('first'); logger.fatal('last'); process.kill(process.pid, 'SIGKILL');`)).toEqual([
      'first',
      'last',
    ]);
  });

  it('are written within moments while the process lives', () => {
    const script = `logger.log('first'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2000);`;

    expect(messagesOf(script)).toEqual(['first']);
  });
});

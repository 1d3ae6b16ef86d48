import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '../support/eventually.js';

const LOGGER = path.resolve(import.meta.dirname, '../../dist/libs/infrastructure/src/platform/json-logger.js');

/** Runs a process that logs like the built service, and returns its messages. */
function messagesOf(script: string): unknown[] {
  const source = `import { JsonLogger } from ${JSON.stringify(LOGGER)}; const logger = new JsonLogger('info'); ${script}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);
}

describe('buffered log lines', () => {
  it('are written when the process exits', () => {
    expect(messagesOf(`logger.log('first'); logger.log('last'); process.exit(0);`)).toEqual(['first', 'last']);
  });

  it('are written before a fatal line returns, even if the process is killed after it', () => {
    expect(messagesOf(`logger.log('first'); logger.fatal('last'); process.kill(process.pid, 'SIGKILL');`)).toEqual([
      'first',
      'last',
    ]);
  });

  it('are written within 2 s while the process runs', () => {
    const script = `logger.log('first'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2000);`;

    expect(messagesOf(script)).toEqual(['first']);
  });
});

describe('log lines that standard output does not accept', () => {
  const LINE = 1_000;
  const LINES = 20_000;
  const source = `
    import { JsonLogger } from ${JSON.stringify(LOGGER)};
    const logger = new JsonLogger('info');
    let n = 0;
    const more = () => {
      for (let end = n + 100; n < end; n++) logger.log('x'.repeat(${LINE}));
      if (n < ${LINES}) setTimeout(more, 1);
      else process.stderr.write(String(logger.droppedLines));
    };
    more();
    process.stdin.on('end', () => process.exit(0)).resume();`;

  it('are kept up to 4 MB, then dropped, and one line reports their number when it accepts lines again', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
    try {
      // The test reads standard output only after all lines are logged.
      const [counted] = (await once(child.stderr, 'data')) as [Buffer];
      const dropped = Number(counted.toString());
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await eventually(() => expect(text).toContain('dropped'));
      child.stdin.end();
      await once(child, 'close');

      const messages = text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(dropped).toBeGreaterThan(LINES / 2);
      expect(text.length).toBeLessThan(5_000_000);
      expect(messages).toHaveLength(LINES - dropped + 1);
      expect(messages.at(-1)).toBe(`${dropped} log lines were dropped while standard output was not read`);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

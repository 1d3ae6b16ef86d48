/* eslint-disable no-console */
import { JsonLogger } from './json-logger.js';
import { logProcessOutput } from './log-process-output.js';

describe('what libraries print', () => {
  const before = { ...console };
  const listeners = process.listeners('warning');
  afterEach(() => {
    Object.assign(console, before);
    process.removeAllListeners('warning');
    for (const listener of listeners) process.on('warning', listener);
  });

  it('becomes JSON lines, without the stack of a trace', () => {
    const lines: string[] = [];
    logProcessOutput(new JsonLogger('info', { write: (line) => void lines.push(line) }));

    console.trace(new Error('Connection terminated'));
    console.error('completeJobs: attempt 1 failed\n    at somewhere');
    console.log('chatter');
    process.emit('warning', new Error('Possible leak'));

    const messages = lines.map((line) => JSON.parse(line) as { level: number; msg: string; context: string });
    expect(messages.map(({ msg, context }) => [msg, context])).toEqual([
      ['Connection terminated', 'Console'],
      ['completeJobs: attempt 1 failed', 'Console'],
      ['Possible leak', 'Console'],
    ]);
  });
});

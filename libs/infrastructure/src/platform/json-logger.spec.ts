/* eslint-disable no-console */
import { errorFields } from './error-fields.js';
import { JsonLogger, logProcessOutput } from './json-logger.js';
import { OutageLog } from './outage-log.js';
import { prettyLine } from './pretty-lines.js';

function recorder(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = new JsonLogger(level, {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, logger };
}

function queryFailed(code: string): Error {
  const driverError = Object.assign(new Error('pg'), {
    code,
    detail: 'Failing row contains (canary)',
    where: 'canary',
  });
  return Object.assign(new Error(`message of ${code}`), {
    query: 'INSERT INTO canary VALUES ($1)',
    parameters: ['canary'],
    driverError,
    detail: 'Failing row contains (canary)',
  });
}

describe('JsonLogger', () => {
  it("writes the message, the context and the time of Nest's lines", () => {
    const { lines, logger } = recorder();
    logger.warn('An idle connection broke', 'Database');

    expect(lines).toEqual([
      { level: 40, time: expect.any(String) as unknown, context: 'Database', msg: 'An idle connection broke' },
    ]);
  });

  it("omits the messages of Nest's own start, and all below its level", () => {
    const [info, warn] = [recorder(), recorder('warn')];
    info.logger.log('Mapped {/v1/orders, GET} route', 'RouterExplorer');
    warn.logger.log('hello');
    warn.logger.write('info', 'request', {});

    expect([...info.lines, ...warn.lines]).toEqual([]);
  });

  it('never writes parameters, statements or rows of a failed query', () => {
    const { lines, logger } = recorder();
    logger.error(queryFailed('23505'));
    logger.error('Something broke', queryFailed('23505'), 'Orders');
    logger.error(Object.assign(new Error('invalid input syntax: "canary"'), { code: '22P02' }));
    logger.error({ body: 'canary' });

    expect(lines).toHaveLength(4);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});

describe('errorFields', () => {
  it('has the class, the code, the message and the call sites', () => {
    expect(errorFields(queryFailed('23505'))).toEqual({
      type: 'Error',
      code: '23505',
      message: 'message of 23505',
      stack: expect.stringMatching(/^\s+at .*json-logger\.spec/) as unknown,
    });
  });

  it.each(['22P02', '22003', 'P0001', 'XX000', '54000'])(
    'has no message where SQLSTATE %s quotes the value',
    (code) => {
      expect(errorFields(queryFailed(code))).not.toHaveProperty('message');
    },
  );

  it('has no message that a function in the database raised, whatever its SQLSTATE', () => {
    const error = queryFailed('23514') as Error & { driverError: object };
    Object.assign(error.driverError, { routine: 'exec_stmt_raise' });

    expect(errorFields(error)).not.toHaveProperty('message');
  });

  it.each([
    ['JSON.parse', () => JSON.parse('canary') as unknown],
    ['Node', () => Buffer.alloc('canary' as unknown as number)],
  ])('has no message where %s quotes what it was given', (_who, act) => {
    let caught: unknown = null;
    try {
      act();
    } catch (error) {
      caught = error;
    }

    expect((caught as Error).message).toContain('canary');
    expect(JSON.stringify(errorFields(caught))).not.toContain('canary');
  });

  it('follows causes', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });

    expect(errorFields(error).cause).toMatchObject({ type: 'TypeError', message: 'inner' });
  });
});

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

describe('OutageLog', () => {
  const lines: string[] = [];
  let outage: OutageLog;
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    lines.length = 0;
    outage = new OutageLog('Database', (message) => lines.push(message), 5_000);
  });
  afterEach(() => vi.useRealTimers());

  it('writes one line when an outage begins and one with counts when it has ended', () => {
    for (let failure = 0; failure < 30; failure++) {
      outage.note(`refused ${failure}`);
      vi.advanceTimersByTime(1_000);
    }
    expect(lines).toEqual(['refused 0']);

    vi.advanceTimersByTime(5_000);

    expect(lines).toEqual(['refused 0', 'Database: ended after 29 s and 30 failures']);
  });

  it('writes one line for a single failure', () => {
    outage.note('refused');
    vi.advanceTimersByTime(60_000);

    expect(lines).toEqual(['refused']);
  });

  it('begins another outage after the end of the first', () => {
    outage.note('first');
    vi.advanceTimersByTime(6_000);
    outage.note('second');

    expect(lines).toEqual(['first', 'second']);
  });
});

const line = (fields: object) => prettyLine(JSON.stringify({ level: 30, time: '2026-11-21T07:00:01.234Z', ...fields }));

describe('a line on a terminal', () => {
  it('has the time, the level, the message and the fields', () => {
    expect(line({ msg: 'request', method: 'GET', status: 200 })).toBe(
      '07:00:01.234 INFO  request method=GET status=200\n',
    );
  });

  it('has the call sites of an error below it', () => {
    expect(line({ level: 50, context: 'Orders', msg: 'no', error: { code: '23505', stack: '  at a\n  at b' } })).toBe(
      '07:00:01.234 ERROR [Orders] no code=23505\n  at a\n  at b\n',
    );
  });

  it('cannot control the terminal', () => {
    expect(line({ msg: 'a\u001b[2Jb\u202e' })).toBe('07:00:01.234 INFO  a\\u001b[2Jb\\u202e\n');
  });
});

import { errorFields } from './error-fields.js';
import { JsonLogger } from './json-logger.js';

function recorder(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const logger = new JsonLogger(level, {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, logger };
}

/** An error as TypeORM throws it when a row violates a constraint, with every field of pg. */
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

import { CommitOutcomeUnknown, Unavailable, UnusableValue } from '@app/application';
import { NotFound } from '@app/domain';
import { QueryFailedError } from 'typeorm';
import { CommandFailed, report } from './failures.js';

const VALUES = ['ada@example.com', '+1 555 0100', 'Bearer abc', '{"customer":'];

/** An error as the driver reports it, with values in every field in which PostgreSQL puts them. */
function postgres(code: string, message: string, more: object = {}): Error {
  const values = VALUES.join(' ');
  const fields = { code, detail: `Key (email)=(${values}) exists.`, where: values, hint: values, parameters: VALUES };
  return Object.assign(new Error(message), fields, more);
}

describe('report', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => (printed += String(text)) !== '');
  });
  afterEach(() => jest.restoreAllMocks());

  const quoting = `invalid input syntax for type integer: "${VALUES.join(' ')}"`;
  const shutDown = 'terminating connection due to administrator command';
  const duplicate = 'duplicate key value violates unique constraint "orders_pkey"';
  const raised = { routine: 'exec_stmt_raise' };

  it.each<[string, unknown, string]>([
    [
      'a lost commit',
      new CommitOutcomeUnknown(postgres('57P01', shutDown)),
      `The outcome of the commit is unknown: ${shutDown}`,
    ],
    [
      'a lost commit with a quoting cause',
      new CommitOutcomeUnknown(postgres('08006', quoting, raised)),
      'The outcome of the commit is unknown (08006)',
    ],
    ['a lost commit without a cause', new CommitOutcomeUnknown(null), 'The outcome of the commit is unknown'],
    ['an outage', new Unavailable({ cause: postgres('57P03', 'the database system is starting up') }), 'starting up'],
    [
      'a refused value',
      new UnusableValue({ cause: postgres('22P02', quoting) }),
      'The database refused a value (22P02)',
    ],
    ['an untranslated data error', postgres('22P02', quoting), '22P02'],
    ['a wrapped data error', new QueryFailedError('SELECT $1', VALUES, postgres('22007', quoting)), '22007'],
    ['an error raised by a function', postgres('23514', quoting, raised), '23514'],
    ['a violated constraint', postgres('23505', duplicate), duplicate],
    ['unreadable JSON', new SyntaxError(`Unexpected token in ${VALUES.join(' ')}`), 'SyntaxError'],
    ['a thrown string', VALUES.join(' '), 'not an error'],
    ['a refused connection', new AggregateError([], ''), 'AggregateError'],
    ['a missing resource', new NotFound('Order'), 'Order not found'],
    ['a failed command', new CommandFailed('Nothing was kept.'), 'Nothing was kept.'],
  ])('prints %s without values of rows and requests', (_name, error, text) => {
    report(error);

    expect(printed).toContain(text);
    for (const value of VALUES) expect(printed).not.toContain(value);
  });
});

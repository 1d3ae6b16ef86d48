import { CommitOutcomeUnknown, DeadlineExceeded, Unavailable } from '@app/application';
import { JsonLogger } from '@app/infrastructure';
import { FailureReports } from './failure-reports.js';

describe('FailureReports', () => {
  const lines: string[] = [];
  let reports: FailureReports;
  beforeEach(() => {
    jest.useFakeTimers();
    lines.length = 0;
    const counts = { countRefusedOrder: () => undefined, countUnusableValue: () => undefined };
    reports = new FailureReports(new JsonLogger('info', { write: (line) => void lines.push(line) }), counts);
  });
  afterEach(() => jest.useRealTimers());

  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);

  it('logs an outage once, and its failures when it has ended', () => {
    for (let request = 0; request < 100; request++) reports.report(new Unavailable(), 'unavailable', `r-${request}`);
    reports.report(new CommitOutcomeUnknown(null), 'unavailable', 'r-100');
    expect(messages()).toEqual(['The database is unavailable']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ request_id: 'r-0' });

    jest.advanceTimersByTime(10_000);

    expect(messages()[1]).toBe('The database is unavailable: ended after 0 s and 101 failures');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ failures: 101, seconds: 0 });
  });

  it('logs late answers apart from an outage, and every defect', () => {
    reports.report(new Unavailable(), 'unavailable', 'r-1');
    reports.report(new DeadlineExceeded(), 'late', 'r-2');
    reports.report(new TypeError('x'), 'defect', 'r-3');
    reports.report(new TypeError('x'), 'defect', 'r-4');

    expect(messages()).toEqual([
      'The database is unavailable',
      'The database did not answer in time',
      'A request failed',
      'A request failed',
    ]);
  });
});

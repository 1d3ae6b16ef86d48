import { OutageLog } from './outage-log.js';

describe('OutageLog', () => {
  const lines: string[] = [];
  let outage: OutageLog;
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    lines.length = 0;
    outage = new OutageLog('Database', (message) => lines.push(message), 5_000);
  });
  afterEach(() => jest.useRealTimers());

  it('writes one line when an outage begins and one with counts when it has ended', () => {
    for (let failure = 0; failure < 30; failure++) {
      outage.note(`refused ${failure}`);
      jest.advanceTimersByTime(1_000);
    }
    expect(lines).toEqual(['refused 0']);

    jest.advanceTimersByTime(5_000);

    expect(lines).toEqual(['refused 0', 'Database: ended after 29 s and 30 failures']);
  });

  it('writes one line for a single failure', () => {
    outage.note('refused');
    jest.advanceTimersByTime(60_000);

    expect(lines).toEqual(['refused']);
  });

  it('begins another outage after the end of the first', () => {
    outage.note('first');
    jest.advanceTimersByTime(6_000);
    outage.note('second');

    expect(lines).toEqual(['first', 'second']);
  });
});

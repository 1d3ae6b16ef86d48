import { PositionHistory } from './replica-lag.js';

describe('PositionHistory', () => {
  const history = new PositionHistory();
  history.note('0/FFFFFFF0', 1_000);
  history.note('1/10', 3_000);
  history.note('1/20', 5_000);

  it.each([
    ['1/20', 0],
    ['2/0', 0],
    ['1/1F', 1],
    ['1/0', 3],
    ['0/1', 5],
  ])('a replica that has replayed %s is %d s behind', (replayed, seconds) => {
    expect(history.lagOf(replayed, 6_000)).toBe(seconds);
  });

  it('knows no lag after the positions of a former primary were cleared', () => {
    const other = new PositionHistory();
    other.note('5/0', 0);
    other.clear();

    expect(other.lagOf('1/0', 10_000)).toBe(0);
  });
});

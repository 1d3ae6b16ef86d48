import { instantOf, startOfDay } from '../../../apps/dashboard/src/parts/day.js';

describe('a day of the store', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Pacific/Auckland', '2026-09-27', '2026-09-26T12:00:00.000Z', '2026-09-27T11:00:00.000Z'],
    ['UTC', '2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00.000Z', '2026-01-01T18:15:00.000Z'],
    // The clocks go from 00:00 to 01:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    // The clocks go from 01:00 back to 00:00, so that midnight comes twice.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ])('begins and ends in %s on %s with its own clocks', (zone, day, begin, end) => {
    expect([startOfDay(day, zone), startOfDay(day, zone, 1)]).toEqual([begin, end]);
  });

  it.each(['abc', '', undefined, '2026-02-30', '2026-13-01', '26-01-01', '0026-01-01', '9999-12-31', '2026-1-1'])(
    'is not %s',
    (text) => {
      expect(startOfDay(text, 'UTC')).toBeUndefined();
    },
  );

  it('has times that its clocks skip, or show twice', () => {
    expect(instantOf('2026-03-29T02:30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T01:30:00.000Z');
    expect(instantOf('2026-10-25T02:30', 'Europe/Berlin').toISOString()).toBe('2026-10-25T00:30:00.000Z');
  });
});

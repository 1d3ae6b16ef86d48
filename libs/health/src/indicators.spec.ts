import { Config, type GaugeRow, type HealthConnection, type InstallationGauges } from '@app/infrastructure';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Indicators } from './indicators.js';
import { Readiness } from './readiness.js';

const config = new Config({
  PIPELINE_MAX_LAG_SECONDS: '60',
  PIPELINE_MAX_DEAD_LETTERS: '2',
  FEED_MAX_LAG_SECONDS: '30',
  WAL_MAX_RETAINED_MIB: '1',
});

describe('the installation', () => {
  const slot = (name: string, wal_status: string, value: number) => ({ slot: name, wal_status, value });
  const of = async (found: Readonly<Record<string, readonly GaugeRow[]>>) => {
    const gauges = { read: () => Promise.resolve(new Map(Object.entries(found))) } as unknown as InstallationGauges;
    const connection = {} as HealthConnection;
    return new Indicators(new HealthIndicatorService(), connection, gauges, new Readiness(), config).installation();
  };
  const found = (lag: number, dead: number, feed: number, slots: readonly GaugeRow[]) => ({
    pipeline_lag_seconds: [{ value: lag }],
    pipeline_dead_letters: [{ value: dead }],
    feed_lag_seconds: [{ value: feed }],
    database_slot_retained_bytes: slots,
  });

  it('is up at its limits', async () => {
    const slots = [slot('a', 'extended', 2 ** 20), slot('b', 'none', 0)];

    expect(await of(found(60, 2, 30, slots))).toEqual({
      pipeline: { status: 'up', lag_seconds: 60, dead_letters: 2 },
      feed: { status: 'up', lag_seconds: 30 },
      wal: { status: 'up', slots: 2, retained_bytes: 2 ** 20 },
    });
    expect(await of(found(0, 0, 0, []))).toMatchObject({ wal: { status: 'up', slots: 0, retained_bytes: 0 } });
  });

  it('is down beyond them, and says why', async () => {
    const slots = [slot('a', 'unreserved', 0), slot('b', 'lost', 0), slot('c', 'extended', 5 * 2 ** 20)];

    expect(await of(found(61.5, 3, 31, slots))).toEqual({
      pipeline: {
        status: 'down',
        lag_seconds: 61.5,
        dead_letters: 3,
        reasons: [
          'The oldest due stage has waited 61 s: more than 60 s (PIPELINE_MAX_LAG_SECONDS)',
          '3 stages have failed for good: more than 2 (PIPELINE_MAX_DEAD_LETTERS)',
        ],
      },
      feed: {
        status: 'down',
        lag_seconds: 31,
        reasons: ['Changes have waited 31 s for their position: more than 30 s (FEED_MAX_LAG_SECONDS)'],
      },
      wal: {
        status: 'down',
        slots: 3,
        retained_bytes: 5 * 2 ** 20,
        reasons: [
          'The WAL of replication slot a is unreserved',
          'The WAL of replication slot b is lost',
          'Replication slot c retains 5 MiB of WAL: more than 1 MiB (WAL_MAX_RETAINED_MIB)',
        ],
      },
    });
  });

  it('is up with null while its state is unknown', async () => {
    expect(await of({})).toEqual({
      pipeline: { status: 'up', lag_seconds: null, dead_letters: null },
      feed: { status: 'up', lag_seconds: null },
      wal: { status: 'up', slots: null, retained_bytes: null },
    });
  });
});

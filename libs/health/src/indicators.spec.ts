import { Config, type ReplicationSlot } from '@app/infrastructure';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Indicators } from './indicators.js';
import type { Readiness } from './readiness.js';

const config = new Config({
  PIPELINE_MAX_LAG_SECONDS: '60',
  PIPELINE_MAX_DEAD_LETTERS: '2',
  FEED_MAX_LAG_SECONDS: '30',
  WAL_MAX_RETAINED_MIB: '1',
});
const indicators = (told: Partial<Readiness['told']>) =>
  new Indicators(new HealthIndicatorService(), { told } as Readiness, config);

describe('the pipeline', () => {
  const of = (pipeline: Readiness['told']['pipeline']) => indicators({ pipeline }).pipeline().pipeline;

  it('is up at its limits', () => {
    expect(of({ lagSeconds: 60, deadLetters: 2, heldOrders: {}, pausedWebhooks: 0, webhookLagSeconds: 0 })).toEqual({
      status: 'up',
      lag_seconds: 60,
      dead_letters: 2,
    });
  });

  it('is down beyond them, and says why', () => {
    expect(of({ lagSeconds: 61.5, deadLetters: 3, heldOrders: {}, pausedWebhooks: 0, webhookLagSeconds: 0 })).toEqual({
      status: 'down',
      lag_seconds: 61.5,
      dead_letters: 3,
      reasons: [
        'The oldest due stage has waited 61 s: more than 60 s (PIPELINE_MAX_LAG_SECONDS)',
        '3 stages have failed for good: more than 2 (PIPELINE_MAX_DEAD_LETTERS)',
      ],
    });
  });

  it('is up with null while its state is unknown', () => {
    expect(of(null)).toEqual({ status: 'up', lag_seconds: null, dead_letters: null });
  });
});

describe('the feed', () => {
  const of = (feedLagSeconds: number | null) => indicators({ feedLagSeconds }).feed().feed;

  it('is up at its limit, and with null while its lag is unknown', () => {
    expect([of(30), of(null)]).toEqual([
      { status: 'up', lag_seconds: 30 },
      { status: 'up', lag_seconds: null },
    ]);
  });

  it('is down beyond it, and says why', () => {
    expect(of(31)).toEqual({
      status: 'down',
      lag_seconds: 31,
      reasons: ['Changes have waited 31 s for their position: more than 30 s (FEED_MAX_LAG_SECONDS)'],
    });
  });
});

describe('the WAL', () => {
  const of = (slots: readonly ReplicationSlot[] | null) => indicators({ slots }).wal().wal;
  const slot = (name: string, walStatus: ReplicationSlot['walStatus'], retainedBytes: number) => ({
    name,
    walStatus,
    retainedBytes,
  });

  it('is up without slots, with slots that keep little, and with null while they are unknown', () => {
    expect([of([]), of([slot('a', 'extended', 2 ** 20), slot('b', null, 0)]), of(null)]).toEqual([
      { status: 'up', slots: 0, retained_bytes: 0 },
      { status: 'up', slots: 2, retained_bytes: 2 ** 20 },
      { status: 'up', slots: null, retained_bytes: null },
    ]);
  });

  it('is down with a slot that loses its WAL, has lost it or keeps too much, and says which', () => {
    expect(of([slot('a', 'unreserved', 0), slot('b', 'lost', 0), slot('c', 'extended', 5 * 2 ** 20)])).toEqual({
      status: 'down',
      slots: 3,
      retained_bytes: 5 * 2 ** 20,
      reasons: [
        'The WAL of replication slot a is unreserved',
        'The WAL of replication slot b is lost',
        'Replication slot c retains 5 MiB of WAL: more than 1 MiB (WAL_MAX_RETAINED_MIB)',
      ],
    });
  });
});

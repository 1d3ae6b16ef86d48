import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { PostgresUnitOfWork } from '../orders/postgres-unit-of-work.js';

/** A unit of work on one connection, which refuses what `refused` matches and notes what it is sent. */
function unitOfWorkThatRefuses(refused: RegExp) {
  const sent: (string | undefined)[] = [];
  const releases: unknown[] = [];
  const client = {
    release: (broken: unknown) => releases.push(broken),
    query: ({ text }: pg.QueryConfig) => {
      sent.push(/\w+/.exec(text)?.[0]);
      return refused.test(text)
        ? Promise.reject(Object.assign(new Error('canceling statement'), { code: '57014' }))
        : Promise.resolve({ rows: [] });
    },
  };
  const pool = { connect: () => Promise.resolve(client) };
  const dataSource = { driver: { master: pool } } as unknown as DataSource;
  return { unitOfWork: new PostgresUnitOfWork(dataSource, new ServiceMetrics()), sent, releases };
}

describe('PostgresUnitOfWork', () => {
  it('does not roll back a transaction whose BEGIN was refused, and does not use its connection again', async () => {
    const { unitOfWork, sent, releases } = unitOfWorkThatRefuses(/BEGIN/);

    await expect(unitOfWork.run(() => Promise.resolve())).rejects.toMatchObject({ code: 'deadline_exceeded' });

    expect([sent, releases]).toEqual([['BEGIN'], [true]]);
  });

  it('rolls back a transaction whose work failed, and keeps its connection', async () => {
    const { unitOfWork, sent, releases } = unitOfWorkThatRefuses(/nothing/);

    await expect(unitOfWork.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect([sent, releases]).toEqual([['BEGIN', 'ROLLBACK'], [false]]);
  });
});

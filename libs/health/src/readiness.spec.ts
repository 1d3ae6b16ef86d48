import type { DatabaseProbe, DatabaseState } from '@app/infrastructure';
import { Readiness } from './readiness.js';

describe('Readiness', () => {
  const pipeline = { lagSeconds: 0, deadLetters: 0, heldOrders: {} };
  const state: DatabaseState = { schemaCurrent: true, pipeline, feedLagSeconds: 0, slots: [] };
  const up = () => Promise.resolve(state);
  const down = () => Promise.reject(new Error('connect ECONNREFUSED'));

  async function after(...answers: (typeof up | typeof down)[]): Promise<Readiness> {
    const probe: Pick<DatabaseProbe, 'ask'> = { ask: () => (answers.shift() ?? up)() };
    const readiness = new Readiness(probe as DatabaseProbe);
    while (answers.length > 0) await readiness.check();
    return readiness;
  }

  it('is not ready before the first answer', async () => {
    expect((await after()).databaseAnswers).toBe(false);
    expect((await after(down)).databaseAnswers).toBe(false);
  });

  it('is ready with the first answer', async () => {
    expect((await after(up)).databaseAnswers).toBe(true);
  });

  it('forgives two misses and fails with the third', async () => {
    expect((await after(up, down, down)).databaseAnswers).toBe(true);
    expect((await after(up, down, down, down)).databaseAnswers).toBe(false);
    expect((await after(up, down, down, up, down, down)).databaseAnswers).toBe(true);
  });

  it('recovers with one answer', async () => {
    expect((await after(up, down, down, down, down, up)).databaseAnswers).toBe(true);
  });

  it('reports an old schema at once, without misses', async () => {
    const readiness = await after(up, () => Promise.resolve({ ...state, schemaCurrent: false }));

    expect(readiness.schemaCurrent).toBe(false);
  });

  it('reports no lag and no slots while they are unknown', async () => {
    const unknown = { pipeline: null, feedLagSeconds: null, slots: null };

    expect((await after(up, down, down, down)).told).toMatchObject(unknown);
  });
});

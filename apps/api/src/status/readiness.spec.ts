import type { DatabaseState } from '@app/infrastructure';
import { Readiness } from './readiness.js';

describe('Readiness', () => {
  const up = (): Promise<DatabaseState> =>
    Promise.resolve({ schemaCurrent: true, pipeline: { lagSeconds: 0, deadLetters: 0, heldOrders: {} } });
  const down = () => Promise.reject(new Error('connect ECONNREFUSED'));

  async function after(...answers: (typeof up | typeof down)[]): Promise<Readiness> {
    const readiness = new Readiness({ ask: () => (answers.shift() ?? up)(), close: () => undefined });
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
    const readiness = await after(up, () => Promise.resolve({ schemaCurrent: false, pipeline: null }));

    expect(readiness.schemaCurrent).toBe(false);
  });

  it('reports no lag while it is unknown', async () => {
    expect((await after(up, down, down, down)).pipeline).toBeNull();
  });
});

import type { DatabaseProbe, DatabaseState } from '@app/infrastructure';
import { Readiness } from './readiness.js';

describe('Readiness', () => {
  const pipeline = { lagSeconds: 0, deadLetters: 0, heldOrders: {}, pausedWebhooks: 0, webhookLagSeconds: 0 };
  const state: DatabaseState = { schemaCurrent: true, pipeline, feedLagSeconds: 0, slots: [] };
  const up = () => Promise.resolve(state);
  const down = () => Promise.reject(new Error('connect ECONNREFUSED'));

  async function after(...answers: (typeof up | typeof down)[]): Promise<Readiness> {
    const probe: Pick<DatabaseProbe, 'ask'> = { ask: () => (answers.shift() ?? up)() };
    const readiness = new Readiness(probe as DatabaseProbe);
    while (answers.length > 0) await readiness.check();
    return readiness;
  }

  it.each([
    ['before the first answer', [], false],
    ['after a first miss', [down], false],
    ['with the first answer', [up], true],
    ['after two misses', [up, down, down], true],
    ['after three misses', [up, down, down, down], false],
    ['after two misses, an answer and two more', [up, down, down, up, down, down], true],
    ['with one answer after an outage', [up, down, down, down, down, up], true],
  ])('tells whether the database answers %s', async (_when, answers, ready) => {
    expect((await after(...answers)).databaseAnswers).toBe(ready);
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

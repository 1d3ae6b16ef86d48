import type { OrderRepository, StoreRepository } from '@app/application';
import { UnusableAddress } from '../../../libs/infrastructure/src/notifications/mail-failure.js';
import { RunPipelineStage } from '../../../libs/application/src/orders/run-pipeline-stage.js';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { InMemoryPipelineStages, type Stage } from '../../support/in-memory/in-memory-pipeline-stages.js';

const HOUR_MS = 3_600_000;

/** A stage of an order, and its worker. @param notify sends its message. */
function aStage(stage: Partial<Stage>, notify: () => Promise<void>, order = anOrderRecord()) {
  const key = { storeId: 1, orderId: order.id, stage: 'notify-customer' } as const;
  const stages = new InMemoryPipelineStages();
  const put = (changes: Partial<Stage>) =>
    stages.set(key, { state: 'pending', attempts: 0, lastError: '', dueIn: 0, lockedFor: null, ...changes });
  put(stage);
  const run = new RunPipelineStage(
    stages,
    { findById: () => Promise.resolve(order) } as unknown as OrderRepository,
    { findProfile: () => Promise.resolve(aStoreProfile()) } as unknown as StoreRepository,
    { notify },
  );
  /** Runs the stage if it is due. */
  const attempt = async () => {
    const [claim] = await run.claim(1);
    return claim ? run.execute(claim) : null;
  };
  const stored = () => {
    const row = stages.get(key);
    if (!row) throw new Error('There is no stage');
    return { ...row, dueIn: row.runAt - Date.now() };
  };
  return { attempt, stored, put };
}

const refusal = () => Promise.reject(Object.assign(new Error('ada@example.com'), { code: 'SMTP_451' }));

describe('RunPipelineStage', () => {
  it('makes a failed stage due later after each attempt, and gives it up after the twelfth, 16 hours after the first', async () => {
    const { attempt, stored, put } = aStage({}, refusal);
    const pauses: number[] = [];
    let outcome: string | undefined;

    while ((outcome = (await attempt())?.outcome) === 'failed') {
      const { attempts, lastError, dueIn } = stored();
      pauses.push(dueIn);
      put({ attempts, lastError });
    }

    expect(outcome).toBe('dead');
    expect(stored()).toMatchObject({ state: 'dead', isSetAside: false, attempts: 12, lastError: 'SMTP_451' });
    const seconds = pauses.map((pause) => Math.round(pause / 1_000));
    expect(seconds).toEqual([...seconds].sort((one, other) => one - other));
    expect(pauses[0]).toBeLessThan(3_000);
    const total = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(Math.round(total / HOUR_MS)).toBe(16);
  });

  it('ends after one attempt, and leaves no dead letter, when the recipient cannot get the message', async () => {
    const { attempt, stored } = aStage({}, () => Promise.reject(new UnusableAddress()));

    expect(await attempt()).toMatchObject({ outcome: 'undeliverable' });

    expect(stored()).toMatchObject({ state: 'dead', isSetAside: true, attempts: 1, lastError: 'EADDRESS' });
  });

  it('ends without a failure when the order was cancelled before its confirmation was sent', async () => {
    const sent: string[] = [];
    const notify = () => Promise.resolve(void sent.push('mail'));
    const { attempt, stored } = aStage({}, notify, anOrderRecord({ fulfillmentStatus: 'CANCELLED' }));

    expect(await attempt()).toEqual({ outcome: 'cancelled' });

    expect(stored()).toMatchObject({ state: 'dead', isSetAside: true, attempts: 1 });
    expect(sent).toEqual([]);
  });

  it('counts the attempt of a lost worker, and sends nothing before the stage is due again', async () => {
    const sent: string[] = [];
    const { attempt, stored } = aStage({ attempts: 3, lockedFor: -1 }, () => Promise.resolve(void sent.push('mail')));

    expect(await attempt()).toMatchObject({ outcome: 'failed' });

    expect(stored()).toMatchObject({ state: 'pending', attempts: 4, lastError: 'WorkerLost' });
    expect(stored().dueIn).toBeGreaterThan(0);
    expect(await attempt()).toBeNull();
    expect(sent).toEqual([]);
  });

  it('gives up a stage whose worker was lost in the last attempt', async () => {
    const { attempt, stored } = aStage({ attempts: 11, lockedFor: -1 }, () => Promise.resolve());

    expect(await attempt()).toMatchObject({ outcome: 'dead' });

    expect(stored()).toMatchObject({ state: 'dead', attempts: 12, lastError: 'WorkerLost' });
  });
});

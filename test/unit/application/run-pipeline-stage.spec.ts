import { RunPipelineStage, type OrderRepository, type PipelineStages, type StoreRepository } from '@app/application';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { UnusableAddress } from '../../../libs/infrastructure/src/mail/mail-failure.js';

const HOUR_MS = 3_600_000;

/** A worker, and what it records of its attempts. @param notify sends the message. */
function aWorker(notify: () => Promise<void>, order = anOrderRecord()) {
  const stages = { fail: jest.fn(), setAside: jest.fn(), succeed: jest.fn() };
  const run = new RunPipelineStage(
    stages as unknown as PipelineStages,
    { findById: () => Promise.resolve(order) } as unknown as OrderRepository,
    { findProfile: () => Promise.resolve(aStoreProfile()) } as unknown as StoreRepository,
    { notify },
  );
  const attempt = async (attempts = 0, takenOver = false) => {
    const claim = { storeId: 1, orderId: order.id, stage: 'notify-customer', reference: '', attempts } as const;
    return (await run.execute({ ...claim, lockedUntil: new Date(), takenOver })).outcome;
  };
  const pauses = () => stages.fail.mock.calls.map(([, , retryInMs]) => retryInMs as number | null);
  return { attempt, stages, pauses };
}

const refusal = () => Promise.reject(Object.assign(new Error('ada@example.com'), { code: 'SMTP_451' }));

describe('RunPipelineStage', () => {
  it('makes a failed stage due later after each attempt, and gives it up after the twelfth, 16 hours after the first', async () => {
    const { attempt, pauses } = aWorker(refusal);

    for (let attempts = 0; attempts < 11; attempts++) expect(await attempt(attempts)).toBe('failed');
    expect(await attempt(11)).toBe('dead');

    const waits = pauses().slice(0, 11).map(Number);
    expect(pauses()[11]).toBeNull();
    expect(waits).toEqual([...waits].sort((one, other) => one - other));
    expect(waits[0]).toBeLessThan(3_000);
    expect(Math.round(waits.reduce((sum, wait) => sum + wait, 0) / HOUR_MS)).toBe(16);
  });

  it('sets a stage aside after one attempt when the recipient cannot get the message', async () => {
    const { attempt, stages } = aWorker(() => Promise.reject(new UnusableAddress()));

    expect(await attempt()).toBe('undeliverable');
    expect([stages.setAside.mock.calls.length, stages.fail.mock.calls.length]).toEqual([1, 0]);
  });

  it.each([
    [0, 'failed'],
    [11, 'dead'],
  ])('counts attempt %d of a lost worker as %s, and sends nothing', async (attempts, outcome) => {
    const notify = jest.fn(() => Promise.resolve());
    const { attempt, stages } = aWorker(notify);

    expect(await attempt(attempts, true)).toBe(outcome);
    expect(stages.fail).toHaveBeenCalledTimes(1);
    expect(notify).not.toHaveBeenCalled();
  });
});

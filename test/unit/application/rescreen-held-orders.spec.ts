import { RescreenHeldOrders, type FraudScreening, type HeldOrders, type OrderRepository } from '@app/application';
import { ANALYSIS_UNAVAILABLE, type FraudAssessment } from '@app/domain';
import { anOrderRecord } from '../../builders/order-record.js';

const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };
const SIGNAL = new AbortController().signal;

/** Orders that are held without an analysis. @param failing those whose analysis fails again. */
function unanalysed(count: number, failing: readonly string[] = []) {
  const ids = Array.from({ length: count }, (_, n) => String(n).padStart(4, '0'));
  const held = new Set(ids);
  const screened: string[] = [];
  const rescreen = new RescreenHeldOrders(
    {
      list: (_: unknown, limit: number, after: { orderId: string } | null) => {
        const next = [...held].filter((id) => after === null || id > after.orderId).slice(0, limit);
        return Promise.resolve(next.map((orderId) => ({ storeId: 1, orderId })));
      },
      settle: ({ orderId }: { orderId: string }) => Promise.resolve(held.delete(orderId)),
    } as unknown as HeldOrders,
    { findById: (_: number, id: string) => Promise.resolve(anOrderRecord({ id })) } as unknown as OrderRepository,
    {
      reassess: (_: number, __: unknown, { orderId }: { orderId: string }) => {
        screened.push(orderId);
        return Promise.resolve(failing.includes(orderId) ? ANALYSIS_UNAVAILABLE : ACCEPTED);
      },
    } as unknown as FraudScreening,
  );
  return { ids, held: () => [...held], screened, rescreen };
}

describe('RescreenHeldOrders', () => {
  it('releases every accepted order, over several batches', async () => {
    const { ids, screened, rescreen, held } = unanalysed(120);

    expect(await rescreen.execute(null, SIGNAL)).toBeNull();
    expect([screened, held()]).toEqual([ids, []]);
  });

  it('ends when the analysis is still unavailable, and the next call continues after that order', async () => {
    const { screened, rescreen, held } = unanalysed(3, ['0000']);

    const last = await rescreen.execute(null, SIGNAL);

    expect([last?.orderId, screened]).toEqual(['0000', ['0000']]);
    expect(await rescreen.execute(last, SIGNAL)).toBeNull();
    expect(held()).toEqual(['0000']);
  });

  it('ends when its signal aborts', async () => {
    const { screened, rescreen } = unanalysed(2);

    await rescreen.execute(null, AbortSignal.abort());

    expect(screened).toEqual([]);
  });
});

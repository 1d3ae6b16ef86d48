import type { ClaimLimits } from '@app/application';
import { StoreClaimLoop } from './store-claim-loop.js';

/** Has mails of one store, which end when the test says so. */
class Mails extends StoreClaimLoop<{ storeId: number }> {
  readonly asked: (readonly [most: number, mostOfStore: number, running: number])[] = [];
  readonly ends: (() => void)[] = [];

  constructor() {
    super({ what: 'Mails', concurrency: 4, pollMs: 600_000, shutdownMs: 60_000 });
  }

  override claimWithin({ most, mostOfStore, running }: ClaimLimits) {
    const ofStore = running.get(1) ?? 0;
    this.asked.push([most, mostOfStore, ofStore]);
    return Promise.resolve(Array.from({ length: mostOfStore - ofStore }, () => ({ storeId: 1 })));
  }

  override execute(): Promise<void> {
    return new Promise((end) => this.ends.push(end));
  }
}

describe('StoreClaimLoop', () => {
  it('runs half of its mails for one store, and claims again when one of them ends', async () => {
    const mails = new Mails();
    mails.onApplicationBootstrap();
    await vi.waitFor(() => expect(mails.ends).toHaveLength(2));
    mails.ends[0]?.();
    await vi.waitFor(() => expect(mails.ends).toHaveLength(3));

    expect(mails.asked).toEqual([
      [4, 2, 0],
      [3, 2, 1],
    ]);

    const shutdown = mails.beforeApplicationShutdown();
    for (const end of mails.ends) end();
    await shutdown;
  });
});

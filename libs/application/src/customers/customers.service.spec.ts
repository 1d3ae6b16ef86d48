import { DeadlineExceeded } from '../failures.js';
import type { ChangeFeed } from '../ports/change-feed.js';
import type { CustomerRepository } from '../ports/customer.repository.js';
import type { PersonalData } from '../ports/personal-data.js';
import type { StoreRepository } from '../ports/store.repository.js';
import { CustomersService } from './customers.service.js';

const ID = '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f';

describe('the personal data of a customer', () => {
  it('are collected no longer than the request lasts', async () => {
    let [collected, now] = [0, 0];
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    async function* orders() {
      for (; collected < 100; collected++) {
        now += 1_000;
        yield await Promise.resolve({});
      }
    }
    const people = { collect: (...[, , , , read]: Parameters<PersonalData['collect']>) => read({} as never, orders()) };
    const customers = {
      findById: () => Promise.resolve({ email: 'ada@example.com' }),
    } as unknown as CustomerRepository;
    const service = new CustomersService(customers, {} as StoreRepository, people as PersonalData, {} as ChangeFeed);

    await expect(
      service.collectOf(7, ID, { actor: { type: 'operator', id: '', name: '' }, address: null }),
    ).rejects.toThrow(DeadlineExceeded);

    expect(collected).toBeLessThan(4);
    vi.restoreAllMocks();
  });
});

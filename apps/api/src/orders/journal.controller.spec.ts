import type { OrdersService } from '@app/application';
import type { FastifyRequest } from 'fastify';
import type { CurrentStoreContext } from '../access/current-store.decorator.js';
import { JournalController } from './journal.controller.js';

it('notes what was read for the rows of the journal, which may show much less', async () => {
  const orders = { journal: () => Promise.resolve({ rows: [], hasMore: false, readBytes: 300_000 }) };
  const noteRead = vi.fn();
  const store = { id: 1 } as CurrentStoreContext;

  await new JournalController(orders as unknown as OrdersService).list(
    store,
    { filter: {}, page: { page: 1, limit: 100 } },
    { noteRead } as unknown as FastifyRequest,
  );

  expect(noteRead).toHaveBeenCalledWith(300_000);
});

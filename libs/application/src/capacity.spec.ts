import * as capacity from './capacity.js';

const { orders, reads, waits, imports } = capacity.MAX_REQUESTS;
const ofStore = capacity.MAX_REQUESTS_OF_STORE;

describe('The capacity of a process', () => {
  it.each([
    [
      'the requests leave most connections to clients that are refused',
      orders + reads + waits + imports,
      capacity.MAX_CONNECTIONS / 4,
    ],
    ['the waits of one store leave most to others', ofStore.waits, waits / 2],
    ['the orders of one store leave slots to others', ofStore.orders, orders],
    ['the reads of one store leave slots to others', ofStore.reads, reads],
    ['the imports of one store leave slots to others', ofStore.imports, imports],
    [
      'requests that wait for a large-request slot leave order slots to the others',
      capacity.MAX_WAITING,
      ofStore.orders,
    ],
    [
      'a preview needs a large-request slot at fewer bytes than an order',
      capacity.LARGE_BODIES['POST /v1/orders/preview'],
      capacity.LARGE_BODIES['POST /v1/orders'],
    ],
    [
      'searches and bulk changes leave connections to transactions',
      capacity.SEARCHES + capacity.BULK_CHANGES,
      1 - capacity.FREE_OF_TRANSACTIONS,
    ],
    ['searches leave statements of the store connections', capacity.SEARCHES, capacity.STATEMENTS_OF_STORE],
    ['statements of one store leave connections to others', capacity.STATEMENTS_OF_STORE, 1],
    [
      'searches may take more connections than transactions keep free',
      capacity.FREE_OF_TRANSACTIONS,
      capacity.SEARCHES,
    ],
    ['mails of one store leave slots to others', capacity.MAILS_OF_STORE, 1],
    [
      'webhooks of one host leave slots to others of the store',
      capacity.MAX_WEBHOOKS_SERVED_OF_HOST,
      capacity.MAX_WEBHOOKS_SERVED_OF_STORE,
    ],
    [
      'webhooks of one store leave most to others',
      capacity.MAX_WEBHOOKS_SERVED_OF_STORE,
      capacity.MAX_WEBHOOKS_SERVED / 2,
    ],
    [
      'reads for webhooks of one store leave most to others',
      capacity.MAX_WEBHOOK_READS_OF_STORE,
      capacity.MAX_WEBHOOK_READS / 2,
    ],
  ])('nests: %s', (_, inner, outer) => {
    expect(inner).toBeLessThan(outer as number);
  });
});

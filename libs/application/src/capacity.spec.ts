import * as capacity from './capacity.js';

const { orders, reads, waits, imports } = capacity.MAX_REQUESTS;

describe('The capacity of a process', () => {
  it.each([
    [
      'the requests leave most connections to clients that are refused',
      orders + reads + waits + imports,
      capacity.MAX_CONNECTIONS / 4,
    ],
    ['the waits of one store leave most to others', capacity.MAX_WAITS_OF_STORE, waits / 2],
    ['turns leave places of orders to those that need none', capacity.MAX_WAITING, orders],
    [
      'a preview takes its turn with fewer bytes than an order',
      capacity.LARGE_BODIES['POST /v1/orders/preview'],
      capacity.LARGE_BODIES['POST /v1/orders'],
    ],
    [
      'searches and bulk changes leave connections to transactions',
      capacity.SEARCHES + capacity.BULK_CHANGES,
      1 - capacity.FREE_OF_TRANSACTIONS,
    ],
    [
      'searches may take more connections than transactions keep free',
      capacity.FREE_OF_TRANSACTIONS,
      capacity.SEARCHES,
    ],
    [
      'webhooks of one host leave places to others of the store',
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

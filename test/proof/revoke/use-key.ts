import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.js';
import { Buyers } from '../support/buyers.js';
import type { Exchange } from '../support/history.js';
import type { Service } from '../support/service.js';
import { anyItem, type Shop } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';

interface KeyUse {
  served(): Promise<void>;
  stop(): Promise<Exchange[]>;
}

/** Sends requests, a quarter of which are orders. @param clients the number on each process. */
export function useKey(shop: Shop, key: string, clients: number): KeyUse {
  const { context, store, services } = shop;
  const buyers = new Buyers({ id: store.id, key }, context.history, context.random);
  const exchanges: Exchange[] = [];
  let isOpen = true;
  const client = async (service: Service, index: number) => {
    // The last request begins after the stop: a busy machine may have none between the end of the key and the stop.
    for (let turn = 0, isLast = false; !isLast; turn++) {
      isLast = !isOpen;
      const isOrder = (turn + index) % 4 === 0;
      const order = { body: orderBody([anyItem(shop)], 'revoke') };
      exchanges.push(await buyers.send(service, isOrder ? order : { method: 'GET', path: '/v1/products?limit=2' }));
    }
  };
  const load = services.flatMap((service) => Array.from({ length: clients }, (_, i) => client(service, i)));
  const served = () =>
    eventually(() => {
      const urls = new Set(exchanges.filter(isServed).map(({ service }) => service));
      assert.equal(urls.size, services.length);
    });
  const stop = async () => {
    isOpen = false;
    await Promise.all(load);
    buyers.close();
    return exchanges;
  };
  return { served, stop };
}

export function unusedProcesses(services: readonly Service[], ...groups: readonly (readonly Exchange[])[]): Service[] {
  return services.filter(({ url }) => !groups.every((exchanges) => exchanges.some(({ service }) => service === url)));
}

export function isServed({ status }: Pick<Exchange, 'status'>): boolean {
  return status === 200 || status === 201;
}

export function isRefused({ status }: Pick<Exchange, 'status'>): boolean {
  return status === 401 || status === 403;
}

export function told({ at, method, path, status, error }: Exchange, moment: number): string {
  return `${method} ${path} ${status ?? error}, ${at - moment} ms after the end of the key`;
}

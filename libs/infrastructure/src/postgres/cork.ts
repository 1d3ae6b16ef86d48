import type { Writable } from 'node:stream';
import type pg from 'pg';

/**
 * Holds back what is sent on a connection until the current tick is over: statements that are begun together travel in one
 * packet. For the process, sending is most of what a short statement costs.
 */
export function corkUntilNextTick(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

import { groupBy } from '../support/group-by.js';
import type { Clients, ClientsOptions } from './clients.js';
import { readStock, type Bin, type Place } from './shelves.js';
import { SoldOrder } from './sold-order.js';

const LEDGER = `
  SELECT bins.code, kind, quantity, reference FROM stock_movements AS moved
  JOIN bins ON bins.store_id = moved.store_id AND bins.id = bin_id
  WHERE moved.store_id = $1 ORDER BY moved.id`;

interface Movement {
  readonly code: string;
  readonly kind: string;
  readonly quantity: number;
  readonly reference: string | null;
}

/** What a bin holds by its ledger, and what it would hold if every unit that came or went had been reported. */
interface Books {
  readonly stock: number;
  readonly truth: number;
  readonly counts: number;
  readonly repaired: number;
}

/** @param uncounted bins that the last counts omitted. */
export async function judge(clients: Clients, options: ClientsOptions, uncounted: readonly Bin[]) {
  const { shop, services, shelves, desk } = options;
  const ledger = await shop.context.rig.database.query<Movement>(LEDGER, [shop.store.id]);
  const movements = groupBy(ledger, ({ code }) => code);
  const open = new Map<string, number>();
  for (const { id } of clients.orders) {
    for (const bin of new SoldOrder(await clients.order(id)).open) open.set(bin, (open.get(bin) ?? 0) + 1);
  }
  const violations: string[] = [];
  let [counts, repaired] = [0, 0];
  const wanted = new Set(desk.applied.keys());
  for (const { bin: code, quantity: stock } of await readStock(shop, services)) {
    const bin = shelves.bin(code);
    const fail = (text: string) => violations.push(`bin ${code}: ${text}`);
    const books = replay(bin, movements.get(code) ?? [], options, wanted, fail);
    counts += books.counts;
    repaired += books.repaired;
    const { shelf, unreported } = shelves.present(bin);
    const available = shelf - (open.get(code) ?? 0);
    if (books.stock !== stock) fail(`holds ${stock}, its ledger ${books.stock}`);
    if (books.truth + unreported !== available) {
      fail(`the shelf has ${available} units that are not sold, the ledger without counts ${books.truth + unreported}`);
    }
    // Nobody counts less than nothing, although more was shipped than there ever was.
    if (uncounted.includes(bin) && shelf < 0) continue;
    if (uncounted.includes(bin)) fail('was not counted at the end');
    if (stock !== Math.max(available, 0)) fail(`holds ${stock}, the shelf has ${available} units that are not sold`);
  }
  violations.push(...[...wanted].map((line) => `${line} was acknowledged, and is not in the ledger`));
  return { violations, counts, repaired };
}

/** Walks through the ledger of a bin. @param wanted loses what is there. */
function replay(
  bin: Bin,
  movements: readonly Movement[],
  { shelves, desk }: ClientsOptions,
  wanted: Set<string>,
  fail: (text: string) => void,
): Books {
  let [stock, truth, counts, repaired, unreported] = [0, 0, 0, 0, 0];
  let newest: Place | null = null;
  for (const { kind, quantity, reference } of movements) {
    stock += quantity;
    if (stock < 0) fail(`the ledger leads to ${stock}`);
    const line = `${reference} ${bin.code}`;
    const asked = desk.applied.get(line);
    if (reference !== null && (!asked || !wanted.delete(line))) fail(`${kind} ${reference} is there once too often`);
    if (!asked?.place) {
      truth += asked?.units ?? quantity;
      if (asked && asked.units !== quantity) {
        fail(`${kind} ${reference} moves ${quantity} units, ${asked.units} were meant: ${JSON.stringify(asked.write)}`);
      }
      continue;
    }
    // While nothing changes the cursor stays, and units may be lost all the same. The last count at a cursor replaces others.
    if (newest === null || asked.place.number > newest.number || asked.place.cursor === newest.cursor) {
      newest = asked.place;
      unreported = shelves.at(bin, newest)?.unreported ?? NaN;
    }
    const expected = Math.max(truth + unreported, 0);
    if (stock !== expected) {
      fail(`after ${kind} ${reference} it holds ${stock}, the shelf gives ${expected}: ${JSON.stringify(asked.write)}`);
    }
    counts++;
    repaired += Math.abs(quantity);
  }
  return { stock, truth, counts, repaired };
}

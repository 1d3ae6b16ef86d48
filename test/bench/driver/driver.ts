import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';

export interface Job {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: Reads | Orders | Receipts;
  readonly seed: number;
}

export interface Reads {
  readonly kind: 'reads';
  readonly paths: readonly string[];
}

export interface Orders {
  readonly kind: 'orders';
  readonly items: readonly Item[];
  readonly lines: number;
}

/** Receives units into each of this many places. */
export interface Receipts {
  readonly kind: 'receipts';
  readonly places: readonly Place[];
  readonly lines: number;
}

/** A bin that holds a product or a variant. */
export interface Place extends Item {
  readonly warehouse: string;
  readonly bin: string;
}

export interface Item {
  readonly product_id: number;
  readonly variant_id?: number;
}

export interface Load {
  readonly answered: number;
  /** Successful answers (2xx) per second. */
  readonly perSecond: number;
  /** The latency of answers in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failures: Readonly<Record<string, number>>;
}

export function startProgram(file: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return fork(path.join(import.meta.dirname, '..', file), {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

export function messageOf<Message>(program: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error(`${program.spawnargs.at(-1)} has ended`));
    program.once('exit', end);
    program.once('message', (message) => {
      program.off('exit', end);
      resolve(message as Message);
    });
  });
}

export function receiptOf({ places, lines }: Receipts, random: (below: number) => number) {
  const start = random(places.length);
  // The places are far from each other, like those of a delivery.
  const step = Math.floor(places.length / lines);
  return {
    lines: Array.from({ length: lines }, (_, n) => ({ ...places[(start + n * step) % places.length], adjust: 1 })),
  };
}

export function orderOf({ items, lines }: Orders, kind: string, n: number, random: (below: number) => number) {
  const line = () => ({ ...(items[random(items.length)] as Item), quantity: 1 + random(2) });
  return {
    items: Array.from({ length: lines }, line),
    customer: {
      name: `Buyer ${n}`,
      email: `${kind}.${n}@example.com`,
      phone: `+44 ${kind.length} ${String(n).padStart(9, '0')}`,
      address: `${n} ${kind} Road`,
      city: 'Leeds',
      zip: 'LS1 4AP',
    },
    payment_method: 'COD',
    notes: '',
  };
}

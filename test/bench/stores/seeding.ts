import type pg from 'pg';
import { Draws, People } from './draws.js';

const CHUNK = 20_000;

export interface Seeding {
  readonly sql: pg.ClientBase;
  readonly storeId: number;
  readonly sizes: StoreSizes;
  readonly draws: Draws;
  readonly people: People;
  /** Row number n of a table has the id `base + n`; n counts from 1. */
  readonly bases: Readonly<Record<NumberedTable, number>>;
}

interface StoreSizes {
  readonly orders: number;
  readonly products: number;
  readonly customers: number;
  readonly brands: number;
  /** Excludes the large category, which has a fifth of all products. */
  readonly categories: number;
}

const NUMBERED_TABLES = ['bins', 'brands', 'categories', 'products', 'product_variants'] as const;
type NumberedTable = (typeof NUMBERED_TABLES)[number];

/** A store with a tenth as many products as orders, and half as many customers. */
export async function beginSeeding(
  sql: pg.ClientBase,
  storeId: number,
  orders: number,
  seed: number,
): Promise<Seeding> {
  const sizes = { orders, products: orders / 10, customers: orders / 2, brands: 50, categories: 200 };
  const draws = new Draws(seed);
  const bases: Partial<Record<NumberedTable, number>> = {};
  for (const table of NUMBERED_TABLES) {
    const { rows } = await sql.query<{ base: number }>(`SELECT coalesce(max(id), 0)::int AS base FROM ${table}`);
    bases[table] = rows[0]?.base ?? 0;
  }
  return { sql, storeId, sizes, draws, people: new People(draws), bases: bases as Record<NumberedTable, number> };
}

export async function inChunks(sql: pg.ClientBase, count: number, statement: string): Promise<void> {
  for (let first = 1; first <= count; first += CHUNK) {
    await sql.query(statement, [first, Math.min(count, first + CHUNK - 1)]);
  }
}

export async function advanceIdentities(sql: pg.ClientBase): Promise<void> {
  for (const table of NUMBERED_TABLES) {
    await sql.query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`);
  }
}

import type { BinLine, BrandLine, WarehouseLine } from '../schema/bundle.js';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { Row, TableWriter } from './table-writer.js';
import { BINS, BRANDS, WAREHOUSES } from './tables.js';

export const writeWarehouses: WriteLines<WarehouseLine> = (batch, store, lines) =>
  writeRows(batch, store, WAREHOUSES, lines, ({ line }) => withoutReferences(line));

export const writeBrands: WriteLines<BrandLine> = (batch, store, lines) =>
  writeRows(batch, store, BRANDS, lines, ({ line }) => withoutReferences(line));

export const writeBins: WriteLines<BinLine> = async (batch, store, lines) => {
  const warehouses = lines.map(({ line }) => ({ code: line.warehouse }));
  await batch.known.load(WAREHOUSES, store.id, warehouses);
  await writeRows(batch, store, BINS, lines, ({ number, line: { warehouse, code } }) => {
    const from = { line: number, what: 'warehouse', name: warehouse };
    return { warehouse_id: batch.known.get(WAREHOUSES, store.id, { code: warehouse }, from), code };
  });
};

/** Writes a row for each line, counts it, and lets later lines refer to it. */
async function writeRows<Line extends Numbered>(
  { manager, known, tally }: Batch,
  store: Owner,
  table: TableWriter<number>,
  lines: readonly Line[],
  toRow: (line: Line) => Row,
): Promise<void> {
  const rows = lines.map(toRow);
  const written = await table.write(manager, store.id, rows);
  written.forEach(({ id, outcome }, index) => {
    const source = lines[index];
    const row = rows[index];
    if (!source || !row) return;
    tally.add(source.line.kind, outcome);
    if (outcome === 'created') known.created(table, store.id, row, { id, line: source.number });
  });
}

function withoutReferences({ kind: _, store: __, ...fields }: WarehouseLine | BrandLine): Row {
  return fields;
}

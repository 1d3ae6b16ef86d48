import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  Deadline,
  DeadlineExceeded,
  MAX_TABLES,
  MAX_TABLES_OF_STORE,
  Semaphore,
  SLOT_WAIT_MS,
  TABLE_MS,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ClientGone } from '../errors/request-errors.js';
import type { Column } from './columns.js';
import { BYTE_ORDER_MARK, toCsvLine } from './csv.js';
import { MAX_ROWS, type Answer } from './pages.js';

interface Table {
  readonly columns: readonly Column[];
  /** The field with the lines of a row, when each line is a row of the table. */
  readonly lines: string | null;
  readonly pages: AsyncGenerator<Answer>;
}

/** Writes tables as CSV. Memory holds one page of each. */
@Injectable()
export class Tables {
  private readonly slots = new Semaphore(() => MAX_TABLES, SLOT_WAIT_MS, MAX_TABLES_OF_STORE);

  /**
   * Reads the first page, and the others as the client takes them. The slot of the table becomes free when all rows are
   * written or the client has left.
   * @throws Overloaded, ClientGone, and what the first page throws.
   */
  async write(
    reply: FastifyReply,
    storeId: number | null,
    table: Table,
  ): Promise<{ stream: Readable; isTruncated: boolean }> {
    const release = await this.takeSlot(storeId);
    const { raw } = reply;
    try {
      const { value: first } = (await table.pages.next()) as { value: Answer };
      if (raw.destroyed) throw new ClientGone();
      const stream = Readable.from(linesOf(reply, first, table), { objectMode: false }).once('close', release);
      // Another answer may replace the stream, which then gets no event of the response.
      raw.setMaxListeners(raw.getMaxListeners() + 1).once('close', () => stream.destroy());
      return { stream, isTruncated: (first.pagination?.total ?? 0) > MAX_ROWS };
    } catch (error) {
      release();
      throw error;
    }
  }

  private takeSlot(storeId: number | null): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.slots.run(storeId, () => new Promise<void>(resolve)).catch(reject);
    });
  }
}

async function* linesOf(reply: FastifyReply, first: Answer, { columns, lines, pages }: Table): AsyncGenerator<string> {
  // Fastify ends an answer that its handler began in time, too: this removes its timer.
  reply.hijack();
  const deadline = Deadline.in(TABLE_MS);
  const write = ({ data }: Answer) => data.map((row) => toCsvLines(row)).join('');
  yield BYTE_ORDER_MARK + toCsvLine(columns.map(({ name }) => name)) + write(first);
  for await (const page of pages) {
    if (deadline.remainingMs === 0) throw new DeadlineExceeded();
    const text = write(page);
    if (text !== '') yield text;
    // Serves the other requests that have arrived.
    await setImmediate();
  }

  function toCsvLines(row: unknown): string {
    const toLine = (line: unknown) => toCsvLine(columns.map(({ valueOf }) => valueOf(row, line)));
    if (lines === null) return toLine(null);
    return (row as Readonly<Record<string, readonly unknown[]>>)[lines]?.map(toLine).join('') ?? '';
  }
}

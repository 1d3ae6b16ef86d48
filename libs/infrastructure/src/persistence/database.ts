import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';

/** Reads in SQL, each on a connection of its own. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  /** @param timeoutMs how long to wait for the answer, where that is less than any statement may take. */
  async query<Row>(text: string, values: readonly unknown[] = [], timeoutMs?: number): Promise<Row[]> {
    const query = { text, values: [...values], ...(timeoutMs && { query_timeout: timeoutMs }) };
    const { rows } = await poolOf(this.dataSource).query(query);
    return rows as Row[];
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';

/** Reads in SQL, each on a connection of its own. */
@Injectable()
export class Database {
  constructor(private readonly dataSource: DataSource) {}

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await poolOf(this.dataSource).query(text, [...values]);
    return rows as Row[];
  }
}

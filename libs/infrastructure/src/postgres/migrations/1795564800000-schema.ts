import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The build copies the file beside this module. A bundle needs it beside itself, too. */
const FILE = path.join(import.meta.dirname, '0001-schema.sql');

/** The whole schema. */
export class Schema1795564800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(await readFile(FILE, 'utf8'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

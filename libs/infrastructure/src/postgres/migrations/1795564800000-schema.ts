import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each subject has its own file. The build copies the directory next to this module; a bundle needs it next to itself.
 */
const DIRECTORY = path.join(import.meta.dirname, 'schema');

/** Creates the whole schema. */
export class Schema1795564800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const file of readdirSync(DIRECTORY).sort())
      await runner.query(readFileSync(path.join(DIRECTORY, file), 'utf8'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

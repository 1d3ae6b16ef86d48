import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables have no foreign key to those of the service, whose migrations do not know them. */
export class Accounts1795564800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        store_id int NOT NULL,
        customer_id uuid NOT NULL,
        points int NOT NULL CHECK (points >= 0),
        is_suspended boolean NOT NULL DEFAULT false,
        PRIMARY KEY (store_id, customer_id)
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

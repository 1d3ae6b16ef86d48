import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { SmtpSink } from '../../support/smtp-sink.js';
import type { TestDatabase } from '../../support/test-database.js';
import { inTime } from '../support/store-setup.js';
import type { Asker } from './asker.js';

export interface Ground {
  readonly database: TestDatabase;
  readonly asker: Asker;
  readonly storeId: number;
  readonly key: string;
  readonly order: () => object;
}

interface Moment {
  readonly table: string;
  readonly event: string;
  readonly condition: string;
}

const NEW_ORDERS: Moment = { table: 'orders', event: 'INSERT', condition: 'true' };

export async function failOrders(ground: Ground): Promise<string[]> {
  const { database, storeId } = ground;
  const outcomes: string[] = [];
  for (const sqlstate of ['XX000', '42000', 'P0001', '23514', '22023']) {
    const undo = await raising(ground, NEW_ORDERS, sqlstate, 'NEW.customer_email, NEW.notes, NEW');
    outcomes.push(...(await expecting(ground, `an error ${sqlstate} of an order's row`, [400, 500])));
    await undo();
  }
  await database.query(`ALTER TABLE orders ADD CONSTRAINT no_more CHECK (store_id <> ${storeId}) NOT VALID`);
  outcomes.push(...(await expecting(ground, 'a broken constraint', [500])));
  await database.query('ALTER TABLE orders DROP CONSTRAINT no_more');
  await database.query('ALTER TABLE brands RENAME TO brands_away');
  const { status } = await ground.asker.ask('/v1/brands?search=quoted', { key: ground.key });
  await database.query('ALTER TABLE brands_away RENAME TO brands');
  if (status !== 503) outcomes.push(`a missing table was answered ${status}`);
  return [...outcomes, ...(await breakConnections(ground))];
}

async function breakConnections(ground: Ground): Promise<string[]> {
  const holder = new pg.Client({ connectionString: ground.database.url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE order_lines IN ACCESS EXCLUSIVE MODE');
  let isAnswered = false;
  const answer = expecting(ground, 'an order whose sessions were terminated', [503]).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    await ground.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
    );
    await delay(20);
  }
  await holder.query('ROLLBACK');
  await holder.end();
  return answer;
}

/** @returns the failures that did not occur. */
export async function failMails(ground: Ground, sink: SmtpSink): Promise<string[]> {
  const outcomes: string[] = [];
  for (const [at, code] of [
    ['recipient', 550],
    ['message', 451],
  ] as const) {
    sink.behaviour = { kind: 'refuse', at, code };
    outcomes.push(...(await untilStageFails(ground, `SMTP_${code}`)));
  }
  sink.behaviour = { kind: 'accept' };
  const email = '(SELECT customer_email FROM orders WHERE store_id = NEW.store_id AND id = NEW.order_id)';
  const atEnd = { table: 'order_stages', event: 'UPDATE', condition: `NEW.state = 'done'` };
  const undo = await raising(ground, atEnd, 'XX000', `${email}, NEW, NEW`);
  outcomes.push(...(await untilStageFails(ground, 'XX000')));
  await undo();
  return outcomes;
}

async function untilStageFails(ground: Ground, error: string): Promise<string[]> {
  const orderId = await place(ground);
  const look = async () => {
    const rows = await ground.database.query(
      `SELECT FROM order_stages WHERE store_id = $1 AND order_id = $2 AND last_error = $3`,
      [ground.storeId, orderId, error],
    );
    if (rows.length === 0) throw new Error(`no stage failed with ${error}`);
  };
  return inTime(look);
}

async function place({ asker, key, order }: Ground): Promise<string> {
  const { status, body } = await asker.ask('/v1/orders', { method: 'POST', key, body: order() });
  if (status !== 201) throw new Error(`An order was answered ${status}: ${body}`);
  return (JSON.parse(body) as { data: { order_id: string } }).data.order_id;
}

async function expecting({ asker, key, order }: Ground, what: string, statuses: readonly number[]): Promise<string[]> {
  const { status } = await asker.ask('/v1/orders', { method: 'POST', key, body: order() });
  return statuses.includes(status) ? [] : [`${what} was answered ${status}`];
}

/** A trigger that fails with the contents of the store's rows. @returns how to remove it. */
async function raising({ database, storeId }: Ground, moment: Moment, sqlstate: string, seen: string) {
  const { table, event, condition } = moment;
  const name = `${table}_tell_all`;
  await database.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'saw % % %', ${seen} USING ERRCODE = '${sqlstate}', DETAIL = NEW::text, HINT = NEW::text;
    END $$`);
  await database.query(
    `CREATE TRIGGER ${name} BEFORE ${event} ON ${table} FOR EACH ROW
     WHEN (NEW.store_id = ${storeId} AND ${condition}) EXECUTE FUNCTION ${name}()`,
  );
  return () => database.query(`DROP FUNCTION ${name} CASCADE`);
}

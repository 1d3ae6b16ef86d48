import {
  CHANGED_MAKER,
  ERASED_NAME,
  ExceedsMaker,
  PersonRepository,
  type ApiKeyLookup,
  type AuditEvent,
  type ChangeOrigin,
  type NewPerson,
  type Person,
  type PersonChange,
  type PersonKey,
  type PersonSession,
} from '@app/application';
import { EmailTaken, LastOwner, scopeOfRole, TooManyInvitations, TooManyRows } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { ACTOR, changesBetween, originOfRequest, recordAudit } from '../audit/record-audit.js';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { Database } from '../postgres/database.js';
import { DirectDatabase } from '../postgres/connection.js';
import { isUniqueViolation } from '../postgres/postgres-errors.js';
import type { Sql } from '../postgres/sql.js';
import { MAKER, MAKER_STANDS, makerValues } from './maker.js';

const COLUMNS = `
  store_id AS "storeId", id, email, name, role, created_at AS "createdAt", last_sign_in_at AS "lastSignInAt",
  NOT invite_due AS "isInvited"`;

const INSERT = `/* people.insert */
  INSERT INTO people (store_id, id, email, name, role) VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`;

const LIST = `/* people.list */ SELECT ${COLUMNS} FROM people WHERE store_id = $1 ORDER BY id`;
const FIND = `/* people.find */ SELECT ${COLUMNS} FROM people WHERE store_id = $1 AND id = $2`;
const FIND_BY_EMAIL = `/* people.find_by_email */ SELECT ${COLUMNS} FROM people WHERE store_id = $1 AND email = $2`;

// When two owners remove or demote each other at the same time, the second waits here, and then no longer finds the
// first. Every change locks the owners first, so none waits for a session that another has locked.
const LOCK_OWNERS = `/* people.lock_owners */
  SELECT id FROM people WHERE store_id = $1 AND role = 'owner' ORDER BY id
  /* @protects last-owner */
  FOR NO KEY UPDATE`;

const HOLD_ASKER = `/* people.hold_asker */
  WITH ${MAKER} SELECT ${MAKER_STANDS} AS stands`;

const LOCK = `/* people.lock */ SELECT ${COLUMNS} FROM people WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE`;
const CHANGE = `/* people.change */
  UPDATE people SET name = coalesce($3, name), role = coalesce($4, role) WHERE store_id = $1 AND id = $2
  RETURNING ${COLUMNS}`;
const CHANGE_SESSIONS = `/* people.change_sessions */
  UPDATE api_keys SET scope = $3 WHERE store_id = $1 AND person_id = $2`;

const INVITE = `/* people.invite */
  UPDATE people SET invite_due = true, invite_attempts = 0, invite_at = now(), invitations = invitations + 1
  WHERE store_id = $1 AND id = $2
  RETURNING ${COLUMNS}, invitations`;

// All people of a store carry its count, so that it survives the removal of any of them, and a new owner does not begin at 0.
const IS_SAME_HOUR = `hour_of_invitations > now() - interval '1 hour'`;
const COUNT_INVITATION = `/* people.count_invitation */
  UPDATE people SET (invitations_in_hour, hour_of_invitations) = (
    SELECT coalesce(max(invitations_in_hour), 0) + 1, coalesce(min(hour_of_invitations), now())
    FROM people WHERE store_id = $1 AND ${IS_SAME_HOUR})
  WHERE store_id = $1
  RETURNING invitations_in_hour AS count`;
const MAX_IN_HOUR = 30;
const MAX_OF_PERSON = 10;

const REMOVE = `/* people.remove */
  WITH removed AS (DELETE FROM people WHERE store_id = $1 AND id = $2 RETURNING *) SELECT ${COLUMNS} FROM removed`;

const ERASE_EVENTS = `/* people.erase_events */
  UPDATE order_events SET actor_name = $3 WHERE store_id = $1 AND actor_type = 'person' AND actor_id = $2::text`;
const ERASE_MOVEMENTS = `/* people.erase_movements */
  UPDATE stock_movements SET actor_name = $3 WHERE store_id = $1 AND actor_type = 'person' AND actor_id = $2::text`;
const COUNT_NAMED = `/* people.count_named */
  SELECT count(*)::int AS count FROM (
    (SELECT 1 FROM order_events WHERE store_id = $1 AND actor_type = 'person' AND actor_id = $2::text LIMIT $3)
    UNION ALL
    (SELECT 1 FROM stock_movements WHERE store_id = $1 AND actor_type = 'person' AND actor_id = $2::text LIMIT $3)
    UNION ALL
    (SELECT 1 FROM audit_events WHERE store_id = $1 AND ${ACTOR} = $2::text LIMIT $3)
    UNION ALL
    (SELECT 1 FROM audit_events WHERE store_id = $1 AND subject_id = $2::text LIMIT $3)) AS named`;
// An address of the person, or of a sign-in as the person, is personal data, too.
const ERASE_AUDIT = `/* people.erase_audit */
  UPDATE audit_events SET
    actor_name = CASE WHEN actor_id = $2::text THEN $3 ELSE actor_name END,
    address = CASE WHEN actor_id = $2::text OR action = 'sign_in.failed' THEN NULL ELSE address END,
    subject_name = CASE WHEN subject_id = $2::text THEN $3 ELSE subject_name END,
    changes = CASE WHEN subject_id = $2::text THEN changes - '{name,email,device}'::text[] ELSE changes END
  WHERE store_id = $1 AND (${ACTOR} = $2::text OR subject_id = $2::text)`;
/** Limits what a request changes; the command has no limit. */
const MAX_NAMED = 10_000;
const isPerson = (actor: string) => `${actor} @> jsonb_build_object('type', 'person', 'id', $2::text)`;
const erased = (actor: string) => `
  CASE WHEN ${isPerson(actor)} THEN jsonb_set(${actor}, '{name}', to_jsonb($3::text)) ELSE ${actor} END`;
const ERASE_KEYS = `/* people.erase_keys */
  UPDATE api_keys SET created_by = ${erased('created_by')}, changed_by = ${erased('changed_by')}
  WHERE store_id = $1 AND (${isPerson('created_by')} OR ${isPerson('changed_by')})`;

// A sign-in makes one key for each mode at the same time. The id of the live key identifies the session.
const SESSION = `
  (array_agg(id ORDER BY mode))[1] AS id, array_agg(id) AS "keyIds", device, created_at AS "createdAt",
  max(last_used_at) AS "lastUsedAt", max(expires_at) AS "expiresAt"`;
const SESSIONS = `/* people.sessions */
  SELECT ${SESSION} FROM api_keys
  WHERE store_id = $1 AND person_id = $2 AND status = 'ACTIVE' AND expires_at > now()
  GROUP BY created_at, device ORDER BY created_at DESC, device`;
const END_SESSION = `/* people.end_session */
  WITH ended AS (
    DELETE FROM api_keys USING api_keys AS named
    WHERE named.store_id = $1 AND named.person_id = $2 AND named.id = $3
      AND api_keys.store_id = $1 AND api_keys.person_id = $2 AND api_keys.created_at = named.created_at
      AND api_keys.device = named.device
    RETURNING api_keys.*
  )
  SELECT ${SESSION} FROM ended GROUP BY created_at, device`;

type Asker = ApiKeyLookup | null;

@Injectable()
export class PostgresPersonRepository extends PersonRepository {
  constructor(
    private readonly database: Database,
    private readonly direct: DirectDatabase,
    private readonly bulkLimiter: BulkLimiter,
  ) {
    super();
  }

  override insert({ storeId, id, email, name, role }: NewPerson, asker: Asker): Promise<Person> {
    return this.database.transaction(storeId, async (sql) => {
      await begin(sql, storeId, asker);
      const rows = await sql.query<Person>(INSERT, [storeId, id, email, name, role]).catch((error: unknown) => {
        throw isUniqueViolation(error, 'people_store_id_email_key') ? new EmailTaken() : error;
      });
      if (asker) await countInvitation(sql, storeId);
      const person = rows[0] as Person;
      await record(sql, originOfRequest(asker), 'person.added', person, { email: [null, email], role: [null, role] });
      return person;
    });
  }

  override list(storeId: number): Promise<Person[]> {
    return this.database.query(LIST, [storeId]);
  }

  override async find({ storeId, id }: PersonKey): Promise<Person | null> {
    return first(await this.database.query(FIND, [storeId, id]));
  }

  override async findByEmail(storeId: number, email: string): Promise<Person | null> {
    return first(await this.database.query(FIND_BY_EMAIL, [storeId, email]));
  }

  override change({ storeId, id }: PersonKey, { name, role }: PersonChange, asker: Asker): Promise<Person | null> {
    return this.database.transaction(storeId, async (sql) => {
      const owners = await begin(sql, storeId, asker);
      if (role !== undefined && role !== 'owner') keepOwner(owners, id);
      const [before] = await sql.query<Person>(LOCK, [storeId, id]);
      if (!before) return null;
      const person = (await sql.query<Person>(CHANGE, [storeId, id, name, role]))[0] as Person;
      await sql.query(CHANGE_SESSIONS, [storeId, id, scopeOfRole(person.role)]);
      const changes = changesBetween({ ...before }, { name: person.name, role: person.role });
      if (Object.keys(changes).length > 0) await record(sql, originOfRequest(asker), 'person.changed', person, changes);
      return person;
    });
  }

  override invite({ storeId, id }: PersonKey, asker: Asker): Promise<Person | null> {
    return this.database.transaction(storeId, async (sql) => {
      await begin(sql, storeId, asker);
      if (asker) await countInvitation(sql, storeId);
      const [row] = await sql.query<Person & { readonly invitations: number }>(INVITE, [storeId, id]);
      if (!row) return null;
      const { invitations, ...person } = row;
      if (asker && invitations > MAX_OF_PERSON) throw new TooManyInvitations('to one person', MAX_OF_PERSON);
      await record(sql, originOfRequest(asker), 'person.invited', person, {});
      return person;
    });
  }

  override remove(key: PersonKey, erasesName: boolean, asker: Asker): Promise<Person | null> {
    const { storeId, id } = key;
    if (!erasesName) {
      return this.database.transaction(storeId, async (sql) => {
        const person = await remove(sql, key, asker);
        if (person) {
          const { email, role } = person;
          await record(sql, originOfRequest(asker), 'person.removed', person, {
            email: [email, null],
            role: [role, null],
          });
        }
        return person;
      });
    }
    const erase = async (sql: Sql) => {
      if (asker) await assertFew(sql, key);
      // The name is erased before the owners are locked, because sign-ins would wait for the lock.
      for (const statement of [ERASE_EVENTS, ERASE_MOVEMENTS, ERASE_KEYS, ERASE_AUDIT]) {
        await sql.query(statement, [storeId, id, ERASED_NAME]);
      }
      const person = await remove(sql, key, asker);
      if (person) {
        const by = originOfRequest(asker);
        const isSelf = by.actor.id === id;
        const origin = isSelf ? { actor: { ...by.actor, name: ERASED_NAME }, address: null } : by;
        await record(sql, origin, 'person.removed', { ...person, name: ERASED_NAME }, { role: [person.role, null] });
      }
      return person;
    };
    return this.bulkLimiter.run(storeId, () => this.direct.run((connection) => connection.transaction(storeId, erase)));
  }

  override sessions({ storeId, id }: PersonKey): Promise<PersonSession[]> {
    return this.database.query(SESSIONS, [storeId, id]);
  }

  override endSession({ storeId, id }: PersonKey, sessionId: string, asker: Asker): Promise<PersonSession | null> {
    return this.database.transaction(storeId, async (sql) => {
      await begin(sql, storeId, asker);
      const [person] = await sql.query<Person>(FIND, [storeId, id]);
      const [session] = await sql.query<PersonSession>(END_SESSION, [storeId, id, sessionId]);
      if (!person || !session) return null;
      await record(sql, originOfRequest(asker), 'session.ended', person, { device: [session.device, null] });
      return session;
    });
  }
}

function record(
  sql: Sql,
  origin: ChangeOrigin,
  action: AuditEvent['action'],
  { storeId, id, name }: Pick<Person, 'storeId' | 'id' | 'name'>,
  changes: AuditEvent['changes'],
): Promise<void> {
  return recordAudit(sql, storeId, origin, { action, subject: { kind: 'person', id, name }, changes });
}

/** @returns the ids of the owners. @throws ExceedsMaker when the key of the asker has ended or permits something else. */
async function begin(sql: Sql, storeId: number, asker: Asker): Promise<string[]> {
  const owners = await sql.query<{ id: string }>(LOCK_OWNERS, [storeId]);
  const [held] = await sql.query<{ stands: boolean }>(HOLD_ASKER, makerValues(storeId, asker));
  // @protects asker-of-people
  if (!held?.stands) throw new ExceedsMaker(CHANGED_MAKER);
  return owners.map(({ id }) => id);
}

async function remove(sql: Sql, { storeId, id }: PersonKey, asker: Asker): Promise<Person | null> {
  keepOwner(await begin(sql, storeId, asker), id);
  return first(await sql.query<Person>(REMOVE, [storeId, id]));
}

/**
 * Limits invitation mails, because a stolen session of an owner must not mail many addresses. @throws
 * TooManyInvitations
 */
async function countInvitation(sql: Sql, storeId: number): Promise<void> {
  const [person] = await sql.query<{ count: number }>(COUNT_INVITATION, [storeId]);
  if ((person?.count ?? 0) > MAX_IN_HOUR) throw new TooManyInvitations('per store and hour', MAX_IN_HOUR);
}

/** @throws TooManyRows */
async function assertFew(sql: Sql, { storeId, id }: PersonKey): Promise<void> {
  const [named] = await sql.query<{ count: number }>(COUNT_NAMED, [storeId, id, MAX_NAMED + 1]);
  if ((named?.count ?? 0) > MAX_NAMED) {
    throw new TooManyRows('history entries with the name', MAX_NAMED, 'people remove --erase-name');
  }
}

/** @throws LastOwner when the person is the only owner. */
function keepOwner(owners: readonly string[], id: string): void {
  if (owners.length === 1 && owners[0] === id) throw new LastOwner();
}

function first<T>(rows: readonly T[]): T | null {
  return rows[0] ?? null;
}

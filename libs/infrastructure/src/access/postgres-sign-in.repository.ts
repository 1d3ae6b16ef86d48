import {
  MAX_SIGNED_IN,
  SESSION_HOURS,
  SignInRepository,
  type NewSession,
  type NewSignInCode,
  type NewSignInToken,
  type SignedIn,
  type SignIn,
  type SignInCandidate,
  type SignInOrigin,
} from '@app/application';
import { SESSION_PREFIX, scopeOfRole } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { recordAudit } from '../audit/record-audit.js';
import { contextOfCode } from '../mail/sign-in-mails.js';
import { DataCipher } from '../platform/data-cipher.js';
import { Database } from '../postgres/database.js';
import type { Sql } from '../postgres/sql.js';

const CODE_MINUTES = 10;
const ATTEMPTS = 5;
const HOURLY_OF_NETWORK = 20;
const HOURLY_OF_EMAIL = 3;
/** A provider may complete a sign-in without asking the person again, so a script can repeat it. */
const HOURLY_OF_ACCOUNT = 60;
const HOURLY_FAILURES = 20;

// Every request locks its network first, then its address, so that two requests cannot deadlock.
const LOCK_LIMITS = `/* sign_ins.lock_limits */
  SELECT pg_advisory_xact_lock(hashtext('sign_in_network'), hashtext($1)),
    pg_advisory_xact_lock(hashtext('sign_in_email'), hashtext($2))`;

// The row that reached the limit ends the wait when it is an hour old.
const REQUEST_CODE = `/* sign_ins.request_code */
  WITH limits AS (
    (SELECT created_at FROM sign_ins WHERE network = $6 AND created_at > now() - interval '1 hour'
     ORDER BY created_at DESC OFFSET ${HOURLY_OF_NETWORK - 1} LIMIT 1)
    UNION ALL
    (SELECT created_at FROM sign_ins WHERE email = $2 AND kind = 'code' AND created_at > now() - interval '1 hour'
     ORDER BY created_at DESC OFFSET ${HOURLY_OF_EMAIL - 1} LIMIT 1)
  ), added AS (
    INSERT INTO sign_ins (id, kind, email, nonce_hash, secret_hash, mail_code, mail_due_at, network, expires_at)
    SELECT $1, 'code', $2, $3, $4, $5, now(), $6, now() + interval '${CODE_MINUTES} minutes'
    /* @protects sign-in-limits */
    WHERE NOT EXISTS (SELECT FROM limits)
  )
  SELECT coalesce(ceil(extract(epoch FROM max(created_at) + interval '1 hour' - now())), 0)::int AS wait FROM limits`;

const INSERT_TOKEN = `/* sign_ins.insert_token */
  INSERT INTO sign_ins (id, kind, email, oidc_issuer, oidc_subject, nonce_hash, secret_hash, expires_at)
  SELECT $1, CASE WHEN $3::text IS NULL THEN 'link' ELSE 'oidc' END, $2, $3, $4, $5, $6, now() + make_interval(mins => $7)
  WHERE $3 IS NULL OR NOT EXISTS (
    SELECT FROM sign_ins WHERE email = $2 AND kind = 'oidc' AND created_at > now() - interval '1 hour'
    ORDER BY created_at DESC OFFSET ${HOURLY_OF_ACCOUNT - 1} LIMIT 1)
  RETURNING expires_at AS "expiresAt"`;

const IS_OPEN = 'used_at IS NULL AND expires_at > now()';

const COUNT_ATTEMPT = `/* sign_ins.count_attempt */
  UPDATE sign_ins SET attempts = attempts + 1
  WHERE nonce_hash = $1 AND kind = 'code' AND ${IS_OPEN}
    /* @protects sign-in-attempts */
    AND attempts < ${ATTEMPTS}
  RETURNING id, email, secret_hash AS "secretHash"`;

const RETURN_ATTEMPT = '/* sign_ins.return_attempt */ UPDATE sign_ins SET attempts = attempts - 1 WHERE id = $1';

const FIND_TOKEN = `/* sign_ins.find_token */
  SELECT id, email, oidc_issuer AS issuer, oidc_subject AS subject FROM sign_ins
  WHERE secret_hash = $1 AND kind <> 'code' AND ${IS_OPEN}
    /* @protects sign-in-nonce */
    AND (nonce_hash IS NULL OR nonce_hash = $2)`;

/** `$n` is the address. The issuer and the subject follow, which are null without an identity provider. */
const isThePerson = (email: number) => `(
  (person.email = $${email}
    /* @protects person-of-account */
    AND ($${email + 1}::text IS NULL OR person.oidc_issuer IS NULL)
  )
  OR (person.oidc_issuer = $${email + 1} AND person.oidc_subject = $${email + 2}))`;

const CANDIDATES = `/* sign_ins.candidates */
  SELECT DISTINCT ON (store.id) person.id, person.name,
    json_build_object('id', store.id, 'subdomain', store.subdomain, 'name', store.name) AS store
  FROM people person JOIN stores store ON store.id = person.store_id
  WHERE store.status = 'ACTIVE' AND ${isThePerson(1)}
  ORDER BY store.id, person.oidc_issuer IS NULL`;

const USE = `/* sign_ins.use */
  UPDATE sign_ins SET used_at = now(), mail_code = NULL
  WHERE id = $1
    /* @protects sign-in-once */
    AND ${IS_OPEN}
  RETURNING kind`;

// A code that never fits, and an account that a script sends again and again, must not fill the audit.
const RECORD_FAILURE = `/* sign_ins.record_failure */
  INSERT INTO audit_events (store_id, id, actor_type, actor_id, actor_name, address, action, subject_kind, subject_id,
    subject_name, changes)
  SELECT store.id, gen_random_uuid(), 'system', '', '', $2, 'sign_in.failed', 'person', person.id::text, person.name,
    jsonb_build_object('method', jsonb_build_array(NULL, $3::text))
  FROM people person JOIN stores store ON store.id = person.store_id
  WHERE person.email = $1 AND store.status = 'ACTIVE' AND is_writable(store.id)
    AND NOT EXISTS (
      SELECT FROM audit_events AS earlier
      WHERE earlier.store_id = store.id AND earlier.subject_id = person.id::text AND earlier.action = 'sign_in.failed'
        AND earlier.at > now() - interval '1 hour'
      OFFSET ${HOURLY_FAILURES - 1})`;

// The lock on the person lasts until the sessions are added, so that a change of the role finds them.
const SIGN_IN_PERSON = `/* people.sign_in */
  UPDATE people person
  SET last_sign_in_at = now(), oidc_issuer = coalesce(oidc_issuer, $4), oidc_subject = coalesce(oidc_subject, $5)
  WHERE store_id = $1 AND id = $2 AND ${isThePerson(3)}
  RETURNING name, email, role`;

// Sessions in a store that is moving, or has moved, are skipped: the browser deletes their cookies, and they must prevent
// neither a sign-in to another store nor a sign-out.
const END_SESSIONS = `/* sessions.end */ DELETE FROM api_keys
  WHERE key_hash = ANY($1) AND person_id IS NOT NULL AND is_writable(store_id)`;

// A sign-in has a session for each mode. More sessions than a person has browsers would make a removal of the person slow.
const END_OLDEST_SESSIONS = `/* sessions.end_oldest */ DELETE FROM api_keys
  WHERE store_id = $1 AND id IN (
    SELECT id FROM api_keys WHERE store_id = $1 AND person_id = $2 ORDER BY created_at DESC OFFSET ${2 * (MAX_SIGNED_IN - 1)})`;

const ADD_SESSIONS = `/* sessions.add */
  INSERT INTO api_keys (store_id, person_id, id, mode, key_hash, last_four, prefix, scope, device, expires_at, created_by)
  SELECT $1, $2, id, mode, hash, last_four, '${SESSION_PREFIX}', $7, $8, now() + interval '${SESSION_HOURS} hours',
    jsonb_build_object('type', 'person', 'id', $2::uuid, 'name', $9::text)
  FROM unnest($3::uuid[], $4::text[], $5::bytea[], $6::text[]) AS session (id, mode, hash, last_four)
  RETURNING expires_at AS "expiresAt"`;

@Injectable()
export class PostgresSignInRepository extends SignInRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  override requestCode({ id, email, nonceHash, secretHash, code, network }: NewSignInCode): Promise<number> {
    const sealed = this.cipher.encrypt(code, contextOfCode(id));
    return this.database.transaction(null, async (sql) => {
      await sql.query(LOCK_LIMITS, [network, email]);
      const values = [id, email, nonceHash, secretHash, sealed, network];
      const [row] = await sql.query<{ wait: number }>(REQUEST_CODE, values);
      return row?.wait ?? 0;
    });
  }

  override async insertToken(token: NewSignInToken, minutes: number): Promise<Date | null> {
    const { id, email, oidc, nonceHash, secretHash } = token;
    const values = [id, email, oidc?.issuer ?? null, oidc?.subject ?? null, nonceHash, secretHash, minutes];
    const [row] = await this.database.write<{ expiresAt: Date }>(INSERT_TOKEN, values);
    return row?.expiresAt ?? null;
  }

  override countAttempt(
    nonceHash: Buffer,
    isCorrect: (secretHash: Buffer) => boolean,
    address: string,
  ): Promise<SignIn | null> {
    type Row = Omit<SignIn, 'oidc'> & { readonly secretHash: Buffer };
    return this.database.transaction(null, async (sql) => {
      const [row] = await sql.query<Row>(COUNT_ATTEMPT, [nonceHash]);
      if (!row) return null;
      const { secretHash, ...signIn } = row;
      if (isCorrect(secretHash)) return { ...signIn, oidc: null };
      await sql.query(RECORD_FAILURE, [signIn.email, address, 'code']);
      return null;
    });
  }

  override async recordFailure(email: string, address: string): Promise<void> {
    await this.database.write(RECORD_FAILURE, [email, address, 'oidc']);
  }

  override async returnAttempt(id: string): Promise<void> {
    await this.database.write(RETURN_ATTEMPT, [id]);
  }

  override async findToken(secretHash: Buffer, nonceHash: Buffer | null): Promise<SignIn | null> {
    type Row = { id: string; email: string; issuer: string | null; subject: string };
    const [row] = await this.database.query<Row>(FIND_TOKEN, [secretHash, nonceHash]);
    if (!row) return null;
    const { id, email, issuer, subject } = row;
    return { id, email, oidc: issuer === null ? null : { issuer, subject } };
  }

  override candidates(signIn: SignIn): Promise<SignInCandidate[]> {
    return this.database.query(CANDIDATES, identityOf(signIn));
  }

  override use(
    signIn: SignIn,
    { id, store }: SignInCandidate,
    sessions: readonly NewSession[],
    from: SignInOrigin,
    replaced: readonly Buffer[],
  ): Promise<SignedIn | null> {
    return this.database.transaction(store.id, async (sql) => {
      const [used] = await sql.query<{ kind: string }>(USE, [signIn.id]);
      if (!used) return null;
      const identity = identityOf(signIn);
      const [person] = await sql.query<Omit<SignedIn, 'expiresAt'>>(SIGN_IN_PERSON, [store.id, id, ...identity]);
      if (!person) return null;
      await sql.query(END_SESSIONS, [replaced]);
      await sql.query(END_OLDEST_SESSIONS, [store.id, id]);
      const columns = (['id', 'mode', 'hash', 'lastFour'] as const).map((name) => sessions.map((each) => each[name]));
      const values = [store.id, id, ...columns, scopeOfRole(person.role), from.device, person.name];
      const [added] = await sql.query<{ expiresAt: Date }>(ADD_SESSIONS, values);
      await recordSignIn(sql, store.id, { id, name: person.name }, used.kind, from);
      return { ...person, expiresAt: (added as { expiresAt: Date }).expiresAt };
    });
  }

  override async endSessions(hashes: readonly Buffer[]): Promise<void> {
    await this.database.write(END_SESSIONS, [hashes]);
  }
}

function recordSignIn(
  sql: Sql,
  storeId: number,
  person: { readonly id: string; readonly name: string },
  method: string,
  { device, address }: SignInOrigin,
): Promise<void> {
  const origin = { actor: { type: 'person', ...person }, address } as const;
  return recordAudit(sql, storeId, origin, {
    action: 'sign_in.succeeded',
    subject: { kind: 'person', ...person },
    changes: { method: [null, method], device: [null, device] },
  });
}

function identityOf({ email, oidc }: SignIn): unknown[] {
  return [email, oidc?.issuer ?? null, oidc?.subject ?? null];
}

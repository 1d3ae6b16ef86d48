import { MAX_SIGN_IN_MAILS, StoreRepository, UndeliverableMessage, type ClaimLimits } from '@app/application';
import { signInCodeGroups } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { DataCipher, DecryptionFailed } from '../platform/data-cipher.js';
import { DUE_OF_LOCKED, ROOM_OF_STORE, StoreClaimLoop, valuesOf } from '../platform/store-claim-loop.js';
import { backOffInterval } from '../postgres/back-off-interval.js';
import { Database } from '../postgres/database.js';
import { ALL_STORES } from '../postgres/read-batches.js';
import { MailNotifier } from './mail-notifier.js';
import { storeBranding } from './store-branding.js';

/**
 * Longer than an attempt takes, so that no mail leaves after its code has expired, and no other worker sends the same
 * mail.
 */
const LEASE = `interval '40 seconds'`;

const STORES = `
  FROM people person JOIN stores store ON store.id = person.store_id AND store.status = 'ACTIVE'
  WHERE person.email = sign_ins.email`;

const IS_DUE = 'mail_code IS NOT NULL AND mail_due_at <= now()';

// All codes for addresses that no person has are dropped at once, so that they do not delay the others.
const DROP = `/* sign_ins.drop_mails */
  UPDATE sign_ins SET mail_code = NULL
  WHERE ${IS_DUE} AND (expires_at <= now() + ${LEASE} OR NOT EXISTS (SELECT ${STORES}))`;

// A code counts for the store of its person that has the fewest codes due: a store must not hold up people of other stores
// by adding them. Stores take turns as in claimMails.
const CLAIM = `/* sign_ins.claim_mails */
  WITH reached AS (
    SELECT sign_ins.id, mail_due_at, place.id AS store_id, count(*) OVER (PARTITION BY place.id) AS due_of_store
    FROM sign_ins CROSS JOIN LATERAL (SELECT store.id ${STORES}) AS place
    WHERE ${IS_DUE} AND expires_at > now() + ${LEASE}
  ), waiting AS (
    SELECT DISTINCT ON (id) id, mail_due_at, store_id FROM reached ORDER BY id, due_of_store, store_id
  ), front AS (
    SELECT *, row_number() OVER (PARTITION BY store_id ORDER BY mail_due_at) - room AS turn
    FROM (SELECT *, ${ROOM_OF_STORE} AS room FROM waiting) AS waiting
  ), locked AS (
    SELECT next.* FROM (SELECT * FROM front WHERE room > 0 ORDER BY turn, mail_due_at) AS next CROSS JOIN LATERAL (
      SELECT FROM sign_ins WHERE id = next.id AND ${IS_DUE} FOR NO KEY UPDATE SKIP LOCKED
    ) AS free LIMIT $1::int
  ), ${DUE_OF_LOCKED}
  UPDATE sign_ins SET mail_attempts = mail_attempts + 1, mail_due_at = now() + ${LEASE}
  FROM due WHERE sign_ins.id = due.id
  RETURNING due.store_id AS "storeId", sign_ins.id, email, mail_code AS code, ARRAY(SELECT store.id ${STORES}) AS stores`;

const SENT = '/* sign_ins.mail_sent */ UPDATE sign_ins SET mail_code = NULL WHERE id = $1';

/** A code is valid for ten minutes, so the waits are short. */
const BACK_OFF = { firstMs: 2_000, factor: 2, longestMs: 30_000 };

const RETRY = `/* sign_ins.retry_mail */
  UPDATE sign_ins SET mail_due_at = now() + ${backOffInterval(BACK_OFF, 'mail_attempts')} WHERE id = $1`;

interface DueMail {
  readonly storeId: number;
  readonly id: string;
  readonly email: string;
  readonly code: Buffer;
  readonly stores: readonly number[];
}

/** Binds the encrypted code of a mail to its row. */
export const contextOfCode = (id: string): string => `sign_ins/${id}/mail_code`;

/** Mails codes at least once, and never after they have expired. A mail server that hangs delays no other mail. */
@Injectable()
export class SignInMails extends StoreClaimLoop<DueMail> {
  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
    private readonly stores: StoreRepository,
    private readonly mails: MailNotifier,
  ) {
    super({ what: 'Sign-in mails', concurrency: MAX_SIGN_IN_MAILS, pollMs: 500, shutdownMs: 35_000 });
  }

  override async claimWithin(limits: ClaimLimits): Promise<DueMail[]> {
    await this.database.query(DROP);
    return this.database.query(CLAIM, valuesOf(limits), ALL_STORES);
  }

  override async execute(mail: DueMail): Promise<void> {
    try {
      await this.deliver(mail);
      await this.database.query(SENT, [mail.id]);
    } catch (error) {
      // No later attempt can send these. The person can request another code.
      const isFinal = error instanceof UndeliverableMessage || error instanceof DecryptionFailed;
      await this.database.query(isFinal ? SENT : RETRY, [mail.id]).catch(() => undefined);
      throw error;
    }
  }

  private async deliver({ id, email, code: sealed, stores }: DueMail): Promise<void> {
    const code = signInCodeGroups(this.cipher.decrypt(sealed, contextOfCode(id)));
    const [only = 0] = stores;
    const store = stores.length === 1 ? await this.stores.findProfile(only) : null;
    const destination = store ? storeBranding(store).name : 'the store dashboard';
    const text = [
      `Your code to sign in to ${destination}:`,
      `    ${code}`,
      'Enter it within 10 minutes, in the browser in which you requested it.',
      'If you did not request it, ignore this email. Never share the code.',
    ].join('\n\n');
    const subject = `Your code to sign in to ${destination}`;
    await this.mails.send(store, `sign-in-${id}`, { address: email, name: '' }, { subject, text });
  }
}

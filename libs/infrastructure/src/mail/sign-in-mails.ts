import { MAX_SIGN_IN_MAILS, StoreRepository, UndeliverableMessage } from '@app/application';
import { signInCodeGroups } from '@app/domain';
import { Injectable, Logger } from '@nestjs/common';
import { DataCipher, DecryptionFailed } from '../platform/data-cipher.js';
import { failureName } from '../platform/error-code.js';
import { OutageLog } from '../platform/outage-log.js';
import { ProcessLoop } from '../platform/process-loop.js';
import { Database } from '../postgres/database.js';
import { MailNotifier } from './mail-notifier.js';
import { storeBranding } from './store-branding.js';

const INTERVAL_MS = 500;
const SHUTDOWN_MS = 35_000;
/** Longer than an attempt takes: no mail leaves after its code has ended, and no other worker sends the same one. */
const LEASE = `interval '40 seconds'`;

const STORES = `
  FROM people person JOIN stores store ON store.id = person.store_id AND store.status = 'ACTIVE'
  WHERE person.email = sign_ins.email`;

// Codes for addresses that no person has end here, all at once, so that they do not delay the others.
const DROP = `/* sign_ins.drop_mails */
  UPDATE sign_ins SET mail_code = NULL
  WHERE mail_code IS NOT NULL AND mail_due_at <= now() AND (expires_at <= now() + ${LEASE} OR NOT EXISTS (SELECT ${STORES}))`;

const CLAIM = `/* sign_ins.claim_mails */
  WITH due AS (
    SELECT id FROM sign_ins
    WHERE mail_code IS NOT NULL AND mail_due_at <= now() AND expires_at > now() + ${LEASE} AND EXISTS (SELECT ${STORES})
    ORDER BY mail_due_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE sign_ins SET mail_attempts = mail_attempts + 1, mail_due_at = now() + ${LEASE}
  FROM due WHERE sign_ins.id = due.id
  RETURNING sign_ins.id, email, mail_code AS code, ARRAY(SELECT store.id ${STORES}) AS stores`;

const SENT = '/* sign_ins.mail_sent */ UPDATE sign_ins SET mail_code = NULL WHERE id = $1';

const RETRY = `/* sign_ins.retry_mail */
  UPDATE sign_ins SET mail_due_at = now() + least(2 ^ mail_attempts, 30) * interval '1 second' WHERE id = $1`;

interface DueMail {
  readonly id: string;
  readonly email: string;
  readonly code: Buffer;
  readonly stores: readonly number[];
}

/** Binds the code of a mail that is to be sent to its row. */
export const contextOfCode = (id: string): string => `sign_ins/${id}/mail_code`;

/** Mails codes, at least once, and never after they have ended. Workers in several processes share them. */
@Injectable()
export class SignInMails extends ProcessLoop {
  private readonly logger = new Logger(SignInMails.name);
  private readonly running = new Set<Promise<void>>();
  private readonly outage = new OutageLog('Mails of sign-in codes', (line) => this.logger.warn(line));

  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
    private readonly stores: StoreRepository,
    private readonly mails: MailNotifier,
  ) {
    super(SHUTDOWN_MS);
  }

  protected override async run(): Promise<void> {
    await this.repeat(async () => {
      await this.startDue().catch((error: Error) => this.outage.note(`Codes cannot be claimed: ${failureName(error)}`));
      return INTERVAL_MS;
    });
    await Promise.all(this.running);
  }

  /** A mail server that hangs holds up no other mail. */
  private async startDue(): Promise<void> {
    await this.database.query(DROP);
    const due = await this.database.query<DueMail>(CLAIM, [MAX_SIGN_IN_MAILS - this.running.size]);
    for (const mail of due) {
      const turn = this.send(mail).finally(() => this.running.delete(turn));
      this.running.add(turn);
    }
  }

  private async send(mail: DueMail): Promise<void> {
    try {
      await this.deliver(mail);
      await this.database.query(SENT, [mail.id]);
    } catch (error) {
      this.outage.note(`The mail of a code was not sent: ${failureName(error as Error)}`);
      // No later attempt can send these. The person asks for another code.
      const isFinal = error instanceof UndeliverableMessage || error instanceof DecryptionFailed;
      await this.database.query(isFinal ? SENT : RETRY, [mail.id]).catch(() => undefined);
    }
  }

  private async deliver({ id, email, code: sealed, stores }: DueMail): Promise<void> {
    const code = signInCodeGroups(this.cipher.decrypt(sealed, contextOfCode(id)));
    const [only = 0] = stores;
    const store = stores.length === 1 ? await this.stores.findProfile(only) : null;
    const place = store ? storeBranding(store).name : 'the store dashboard';
    const text = [
      `Your code to sign in to ${place}:`,
      `    ${code}`,
      'Type it on the page that asked for it, within 10 minutes. It works in that browser only.',
      'If you did not ask for it, ignore this mail, and give the code to no one.',
    ].join('\n\n');
    const subject = `Your code to sign in to ${place}`;
    await this.mails.send(store, `sign-in-${id}`, { address: email, name: '' }, { subject, text });
  }
}

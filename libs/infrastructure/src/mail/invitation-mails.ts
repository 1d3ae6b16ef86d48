import { MAX_NOTICES, StoreRepository, type ClaimLimits } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config.js';
import { StoreClaimLoop, valuesOf } from '../platform/store-claim-loop.js';
import { Database } from '../postgres/database.js';
import { ALL_STORES } from '../postgres/read-batches.js';
import { claimMails } from './claim-mails.js';
import { MailNotifier } from './mail-notifier.js';
import { storeBranding } from './store-branding.js';

const CLAIM = claimMails('/* invitations.claim */', {
  table: 'people',
  isWaiting: 'invite_due',
  attempts: 'invite_attempts',
  dueAt: 'invite_at',
  columns: 'store_id AS "storeId", id, email, name, invite_at AS "nextAt"',
});

// Another mail may have been requested in the meantime, which is then still due.
const DONE = `/* invitations.done */
  UPDATE people SET invite_due = false WHERE store_id = $1 AND id = $2 AND invite_at = $3 AND is_writable($1)`;

interface Invitation {
  readonly storeId: number;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly nextAt: Date;
}

/** Mails people that they were added to a store. The mail contains no secret: its reader must still sign in. */
@Injectable()
export class InvitationMails extends StoreClaimLoop<Invitation> {
  constructor(
    private readonly database: Database,
    private readonly stores: StoreRepository,
    private readonly mails: MailNotifier,
    private readonly config: Config,
  ) {
    super({
      what: 'Invitation mails',
      concurrency: MAX_NOTICES,
      pollMs: 1_000,
      shutdownMs: 35_000,
    });
  }

  override claimWithin(limits: ClaimLimits): Promise<Invitation[]> {
    return this.database.query(CLAIM, valuesOf(limits), ALL_STORES);
  }

  override async execute({ storeId, id, email, name, nextAt }: Invitation): Promise<void> {
    const store = await this.stores.findProfile(storeId);
    if (store) {
      const message = invitationMail(storeBranding(store).name, email, this.config.publicUrl);
      await this.mails.send(store, `invitation-${id}-${nextAt.getTime()}`, { address: email, name }, message);
    }
    await this.database.query(DONE, [storeId, id, nextAt]);
  }
}

function invitationMail(store: string, email: string, publicUrl: string | null) {
  const where = publicUrl ? `${publicUrl}/dashboard/` : 'the dashboard. Ask your colleague for its address.';
  return {
    subject: `You were added to ${store}`,
    text: `You were added to ${store}. Sign in with your email address ${email} at ${where}`,
  };
}

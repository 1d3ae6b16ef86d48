import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  Notifier,
  SMTP_CONNECTIONS_OF_PEOPLE,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from '@app/application';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../platform/config.js';
import { MailFolder } from './mail-folder.js';
import { mailbox, type Mailbox } from '../platform/mailbox.js';
import { UnusableAddress } from './mail-failure.js';
import { orderMail } from './order-mail.js';
import { SmtpDelivery } from './smtp-delivery.js';
import { storeBranding } from './store-branding.js';
import type { SendMailOptions } from 'nodemailer';

/** Sends mail by SMTP. Without a mail server it writes messages to `<DATA_DIR>/mail/*.eml` for a person to open. */
@Injectable()
export class MailNotifier extends Notifier implements OnApplicationShutdown {
  private readonly orderMails: SmtpDelivery | MailFolder;
  /** Mails to people who work in stores: codes, invitations and notices. */
  private readonly otherMails: SmtpDelivery | MailFolder;
  private readonly sender: Mailbox;

  constructor({ mailFrom, smtpUrl, dataDir, databaseUrl, workerConcurrency }: Config) {
    super();
    const folder = path.join(dataDir, 'mail');
    if (smtpUrl === null && databaseUrl !== null) {
      new Logger(MailNotifier.name).warn(`SMTP_URL is not set: mail is not sent, but written to ${folder}`);
    }
    this.sender = mailFrom;
    const open = (connections: number) =>
      smtpUrl === null ? new MailFolder(folder) : new SmtpDelivery(smtpUrl, connections);
    this.orderMails = open(workerConcurrency);
    this.otherMails = open(SMTP_CONNECTIONS_OF_PEOPLE);
  }

  override async notify(
    stage: NotificationStage,
    order: OrderRecord,
    store: StoreProfile,
    reference = '',
  ): Promise<boolean> {
    const mail = orderMail(stage, order, store, reference);
    if (!mail) return false;
    const { to, replyTo, sentAs, subject, text, html } = mail;
    const name = [idPart(order.id), stage, ...(reference === '' ? [] : [digest(reference)])].join('-');
    await this.deliver(this.orderMails, store, name, {
      from: { ...this.sender, name: sentAs ?? this.sender.name },
      to: { ...to },
      ...(replyTo ? { replyTo: { ...replyTo } } : {}),
      subject,
      text,
      html,
    });
    return true;
  }

  async notifyMerchant(store: StoreProfile, name: string, message: { subject: string; text: string }): Promise<void> {
    const { email, name: shop } = storeBranding(store);
    if (email !== '') await this.send(store, name, { address: email, name: shop }, message);
  }

  /**
   * @param store null for a person with several stores. @param name the name of the message, unique in the store.
   * @throws UnusableAddress
   */
  async send(store: StoreProfile | null, name: string, recipient: Mailbox, message: { subject: string; text: string }) {
    const to = mailbox(recipient.address, recipient.name);
    if (!to) throw new UnusableAddress();
    await this.deliver(this.otherMails, store, name, { from: { ...this.sender }, to: { ...to }, ...message });
  }

  // A message has one id, so that a mail program shows a message sent twice only once. Its date is the time of sending:
  // a message that was held for days must not sort below mail that was read since, and mail servers treat old dates as
  // spam.
  private deliver(
    by: SmtpDelivery | MailFolder,
    store: StoreProfile | null,
    name: string,
    message: SendMailOptions,
  ): Promise<void> {
    const shop = idPart(store?.subdomain ?? '');
    const messageId = `<${name}@${shop}.store-commerce>`;
    const headers = { 'Auto-Submitted': 'auto-generated' };
    return by.deliver(`${shop}-${name}`, { ...message, messageId, headers });
  }

  onApplicationShutdown(): void {
    this.orderMails.close();
    this.otherMails.close();
  }
}

/** Represents a reference, which may be any text: two references of an order never give the same message id. */
function digest(reference: string): string {
  return createHash('sha256').update(reference).digest('hex').slice(0, 16);
}

function idPart(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9-]/g, '-') || 'store';
}

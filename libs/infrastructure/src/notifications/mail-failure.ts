import { UndeliverableMessage } from '@app/application';

/** The address exists, but mail cannot be sent to exactly that one address. */
export class UnusableAddress extends UndeliverableMessage {
  override readonly name = 'UnusableAddress';
  readonly code = 'EADDRESS';

  constructor() {
    super('The message has no usable address: EADDRESS');
  }
}

/**
 * A message that was not handed over. `code` names the class of the failure, and nothing else is kept: a mail server's
 * answer may quote addresses, so neither the answer nor its error leaves this class.
 *
 * `SMTP_550` and the like: the server's reply code. `ETIMEDOUT`: no answer in time. Otherwise the code of the network
 * or of the mailer, such as `ECONNREFUSED`, `ECONNECTION`, `EAUTH`.
 */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  constructor(readonly code: string) {
    super(`The message was not handed over: ${code}`);
  }

  static of(error: unknown): MailFailure {
    const { code, originalCode, responseCode } = error as Record<string, unknown>;
    if (typeof responseCode === 'number') return new MailFailure(`SMTP_${responseCode}`);
    if (code === 'EABORT') return new MailFailure('ETIMEDOUT');
    const known = [originalCode, code].find((text) => typeof text === 'string' && /^[A-Z][A-Z0-9_]{1,49}$/.test(text));
    return new MailFailure((known as string | undefined) ?? 'EMAIL');
  }
}

import { UndeliverableMessage } from '@app/application';

/** There is an address, but mail cannot go to exactly that one. */
export class UnusableAddress extends UndeliverableMessage {
  override readonly name = 'UnusableAddress';
  readonly code = 'EADDRESS';

  constructor() {
    super('The message has no usable address: EADDRESS');
  }
}

/**
 * A message that was not handed over. `code` is the class of the failure and all that may be kept of it: what a mail
 * server answers may quote addresses, so neither the answer nor the error it came in goes any further.
 *
 * `SMTP_550` and the like = the server answered so  · `ETIMEDOUT` = no answer
 * in time · otherwise the code of the network or of the mailer, such as `ECONNREFUSED`, `ECONNECTION`, `EAUTH`.
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

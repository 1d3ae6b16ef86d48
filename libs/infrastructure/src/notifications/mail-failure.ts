import { UndeliverableMessage } from '@app/application';

/** The address exists, but mail cannot be sent to exactly that one address. */
export class UnusableAddress extends UndeliverableMessage {
  override readonly name = 'UnusableAddress';
  readonly code = 'EADDRESS';

  constructor() {
    super('The message has no usable address: EADDRESS');
  }
}

/** The mail server refuses the recipient for good. `code` is the class of its answer, as in {@link MailFailure}. */
export class RecipientRefused extends UndeliverableMessage {
  override readonly name = 'RecipientRefused';

  constructor(readonly code: string) {
    super(`The recipient is refused: ${code}`);
  }
}

/**
 * A message that was not handed over. `code` names the class of the failure, and nothing else is kept: a mail server's
 * answer may quote addresses, so neither the answer nor its error leaves this module.
 *
 * `SMTP_550` and the like: the server's reply code. `ETIMEDOUT`: no answer in time. Otherwise the code of the network
 * or of the mailer, such as `ECONNREFUSED`, `ECONNECTION`, `EAUTH`.
 */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  constructor(readonly code: string) {
    super(`The message was not handed over: ${code}`);
  }

  static of(error: unknown): MailFailure | RecipientRefused {
    const { code, originalCode, responseCode, command, response } = error as Record<string, unknown>;
    if (typeof responseCode === 'number') {
      const name = `SMTP_${responseCode}`;
      const isOfRecipient = command === 'RCPT TO' && refusesRecipient(responseCode, String(response));
      return isOfRecipient ? new RecipientRefused(name) : new MailFailure(name);
    }
    if (code === 'EABORT') return new MailFailure('ETIMEDOUT');
    const known = [originalCode, code].find((text) => typeof text === 'string' && /^[A-Z][A-Z0-9_]{1,49}$/.test(text));
    return new MailFailure((known as string | undefined) ?? 'EMAIL');
  }
}

/** Answers about this service as a client: a wrong order of commands, and a missing authentication (RFC 5321, 4954). */
const OF_CLIENT: readonly number[] = [503, 530];

/**
 * Whether the answer to RCPT TO is a permanent one about the recipient. The status 5.7 (RFC 3463), such as `554 5.7.1
 * Relay access denied`, is a matter of permissions: a wrong configuration would otherwise lose each mail silently.
 */
function refusesRecipient(code: number, response: string): boolean {
  return code >= 500 && !OF_CLIENT.includes(code) && !/^\d{3}[ -]5\.7\./.test(response);
}

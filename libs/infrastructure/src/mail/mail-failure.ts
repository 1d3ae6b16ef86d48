import { UndeliverableMessage } from '@app/application';

/** There is an address, but mail cannot be sent to exactly that one. */
export class UnusableAddress extends UndeliverableMessage {
  override readonly name = 'UnusableAddress';
  readonly code = 'EADDRESS';

  constructor() {
    super('The message has no usable address: EADDRESS');
  }
}

/** `code` has the values of {@link MailFailure}. */
export class RecipientRefused extends UndeliverableMessage {
  override readonly name = 'RecipientRefused';

  constructor(readonly code: string) {
    super(`The recipient is refused: ${code}`);
  }
}

/**
 * A message that was not handed over. Only `code` is kept, which names the class of the failure: a mail server's answer
 * may quote addresses, so neither the answer nor its error leaves this module.
 * The code is `SMTP_` and the server's reply code, such as `SMTP_550`; `ETIMEDOUT` when there was no answer in time;
 * otherwise the code of the network or of the mailer, such as `ECONNREFUSED`, `ECONNECTION`, `EAUTH`.
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
    const isCode = (text: unknown) => typeof text === 'string' && /^[A-Z][A-Z0-9_]{1,49}$/.test(text);
    return new MailFailure(([originalCode, code].find(isCode) as string | undefined) ?? 'EMAIL');
  }
}

/**
 * With these codes, RCPT TO refuses the mailbox (RFC 5321, 4.2.3), or its domain accepts no mail (RFC 7504). 554 is not
 * listed: it refuses any client.
 */
const OF_RECIPIENT: readonly number[] = [550, 551, 552, 553, 556];

/**
 * Whether the answer to RCPT TO is permanent and about the recipient. Servers also refuse the client, its HELO and the
 * sender at this point (Postfix, `smtpd_delay_reject`): a wrong configuration would otherwise lose each mail silently.
 * The enhanced status decides when there is one. RFC 3463 assigns 5.1.1 to 5.1.6 to the destination address and 5.2 to
 * its mailbox, RFC 7505 adds 5.1.10. 5.1.7 and 5.1.8 concern the sender, and 5.1.0 concerns neither: Postfix sends it
 * for unknown senders. The other subjects are mail system, network, protocol, content and policy. Without a status, the
 * reply code decides.
 */
function refusesRecipient(code: number, response: string): boolean {
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  if (status === undefined) return OF_RECIPIENT.includes(code);
  return code >= 500 && /^5\.(?:1\.(?:[1-6]|10)|2\.\d+)$/.test(status);
}

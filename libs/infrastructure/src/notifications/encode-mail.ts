import MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { Mailbox } from '../platform/mailbox.js';
import { keepTextsLiteral } from './literal-headers.js';

const MAX_LINE = 76;

/** A message. Its headers are single lines. */
export interface Mail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo: Mailbox | null;
  readonly subject: string;
  readonly messageId: string;
  readonly text: string;
  readonly html: string;
}

/** A message as it is sent, with its sender and recipient. */
export interface EncodedMail {
  readonly envelope: { readonly from: string | false; readonly to: string[] };
  readonly raw: Buffer;
}

/**
 * Encodes a message as MIME. The mailer writes the headers. It would send the bodies through ten streams, which takes
 * seven times as long.
 */
export function encodeMail({ from, to, replyTo, subject, messageId, text, html }: Mail): EncodedMail {
  const message = new MimeNode('multipart/alternative');
  keepTextsLiteral(message);
  message.setHeader({
    'Auto-Submitted': 'auto-generated',
    from: { ...from },
    to: { ...to },
    ...(replyTo && { 'reply-to': { ...replyTo } }),
    subject,
    'message-id': messageId,
  });
  const head = message.buildHeaders();
  const part = (type: string, body: string) =>
    `--${message.boundary}\r\nContent-Type: text/${type}; charset=utf-8\r\n` +
    `Content-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(body)}\r\n`;
  const raw = `${head}\r\n\r\n${part('plain', text)}${part('html', html)}--${message.boundary}--\r\n`;
  return { envelope: message.getEnvelope(), raw: Buffer.from(raw) };
}

function quotedPrintable(text: string): string {
  return wrap(encode(text.replaceAll('\n', '\r\n')), MAX_LINE);
}

import { ENCODED_WORD } from '@app/domain';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type MimeNode from 'nodemailer/lib/mime-node';
import type { Mailbox } from '../platform/mailbox.js';

const MAX_WORD = 52;

/**
 * A step of the mailer. The mailer passes on text that looks like an encoded word, so this step encodes such text once
 * more.
 */
export function keepTextsLiteral({ message }: { message: MimeNode }, done: (error?: Error | null) => void): void {
  const encode = message.encodeHeaderValue.bind(message);
  message.encodeHeaderValue = (key, value) => {
    if (typeof value === 'string' && key === 'Subject' && value.includes(ENCODED_WORD)) return wordsOf(value);
    if (!isMailbox(value) || !value.name.includes(ENCODED_WORD)) return encode(key, value);
    const address = encode(key, { name: '', address: value.address }).replace(/^<|>$/g, '');
    return `${wordsOf(value.name)} <${address}>`;
  };
  done();
}

function wordsOf(text: string): string {
  return encodeWord(text, 'Q', MAX_WORD);
}

function isMailbox(value: unknown): value is Mailbox {
  return typeof value === 'object' && value !== null && 'name' in value && 'address' in value;
}

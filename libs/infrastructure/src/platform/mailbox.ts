import { isMailAddress } from '@app/domain';
import { oneLine } from './plain-text.js';

/** A sender or recipient. The mailer gets it as an object, because it reads a string as a list of addresses. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

export function mailbox(address: string, name = ''): Mailbox | null {
  const trimmed = address.trim();
  return isMailAddress(trimmed) ? { name: oneLine(name, 100), address: trimmed } : null;
}

/** Reads `a@b`, `<a@b>`, `Name <a@b>` or `"Name" <a@b>`; returns null for any other text. */
export function readMailbox(text: string): Mailbox | null {
  const angled = /^([^<>]*)<([^<>]*)>$/.exec(text.trim());
  if (!angled) return mailbox(text);
  const name = (angled[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return mailbox(angled[2] ?? '', name.replace(/\\(.)/g, '$1'));
}

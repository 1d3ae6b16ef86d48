import { createHash } from 'node:crypto';

/**
 * The address of what is called `name`: letters and digits of any script in lower case, accents of Latin letters left
 * out, hyphens between words. The same name has the same slug on every import.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const slug = Array.from(words.join('-')).slice(0, 80).join('');
  // A name of signs only has no words to be called by.
  return slug || `x-${hashOf(name)}`;
}

/** Eight hexadecimal digits, always the same for the same text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

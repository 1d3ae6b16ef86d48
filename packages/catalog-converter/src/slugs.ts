import { createHash } from 'node:crypto';

/**
 * Makes a slug from a name: letters and digits of any script in lower case, Latin letters without accents, hyphens
 * between words. The same name gives the same slug on every import.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase();
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const slug = Array.from(words.join('-')).slice(0, 80).join('');
  // A name without letters and digits gives an empty slug.
  return slug || `x-${hashOf(name)}`;
}

/** Returns eight hexadecimal digits; the same text always gives the same digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

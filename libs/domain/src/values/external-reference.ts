import { isText } from './text.js';

export const MAX_EXTERNAL_REFERENCE = 64;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
/**
 * Matches fillers, joiners and variation selectors, some of which Unicode counts as letters or marks, and the Braille
 * blank.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Accepts 1 to 64 letters, marks, digits, punctuation marks and symbols of any script, with spaces between them. */
export function isExternalReference(text: string): boolean {
  const isPrintable = PRINTABLE.test(text) && !INVISIBLE.test(text);
  return isPrintable && text.trim() === text && isText(text, MAX_EXTERNAL_REFERENCE);
}

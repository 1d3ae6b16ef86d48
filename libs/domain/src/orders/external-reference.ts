export const MAX_EXTERNAL_REFERENCE = 64;

/**
 * Whether the text can be an order's number in the client's own system: 1 to 64 characters, none of which is a control
 * character, an invisible format character, a line break or half a surrogate pair, and no white space at either end.
 */
export function isExternalReference(text: string): boolean {
  const isPrintable = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u.test(text);
  return isPrintable && text.trim() === text && [...text].length <= MAX_EXTERNAL_REFERENCE;
}

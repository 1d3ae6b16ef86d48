/** Crockford's base 32 has no I, L, O and U, which people misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FORMAT = new RegExp(`^[${ALPHABET}]{8}$`);

/** `symbols`: the size of the alphabet. `length`: how many of them are drawn, 40 bits. */
export const SIGN_IN_CODE = { symbols: ALPHABET.length, length: 8 } as const;

/** Makes a code such as `K7QM2XRD`. @param symbols integers from 0 to 31, from a cryptographically secure source. */
export function composeSignInCode(symbols: readonly number[]): string {
  return symbols.map((symbol) => ALPHABET.charAt(symbol)).join('');
}

/** Splits the code into two groups, as people read it: `K7QM-2XRD`. */
export const signInCodeGroups = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/**
 * Reads a code as typed: in any letter case, with spaces and hyphens, I and L as 1, O as 0. Returns `null` for any
 * other text.
 */
export function readSignInCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replaceAll('O', '0');
  return FORMAT.test(code) ? code : null;
}

import { randomInt } from 'node:crypto';

/** Draws the symbols of a secret from a cryptographically secure source. */
export function drawSymbols({ length, symbols }: { readonly length: number; readonly symbols: number }): number[] {
  return Array.from({ length }, () => randomInt(symbols));
}

/** A possible reading of a line: a SKU and its units. */
export interface Reading {
  readonly sku: string;
  readonly units: number;
}

/** The possible meanings of a line: its end may be units, or a part of the SKU. Without units, it counts as one. */
export interface SkuLine {
  readonly text: string;
  readonly whole: Reading;
  readonly parted: Reading | undefined;
}

/** Reads a text with one item per line. A repeated line counts again, because a scanner sends it so. */
export function linesIn(text: string): SkuLine[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [, sku, units] = /^(.*?[^\s,;])[\s,;]+(\d{1,9})$/.exec(line) ?? [];
    return { text: line, whole: { sku: line, units: 1 }, parted: sku ? { sku, units: Number(units) } : undefined };
  });
}

/** Formats a reading for people: `60 × LAMP`. */
export const wordsOf = ({ sku, units }: Reading): string => `${units.toLocaleString()} × ${sku}`;

/**
 * Decides the reading of a line. A SKU of the store wins; when there is none, the service refuses the line.
 * @param has whether the store has a SKU. @param answer the person's answer, in the form of `wordsOf`.
 * @returns undefined when both readings are SKUs and the person has not decided.
 */
export function readLine({ whole, parted }: SkuLine, has: (sku: string) => boolean, answer = ''): Reading | undefined {
  if (!parted) return whole;
  if (!has(whole.sku)) return parted;
  if (!has(parted.sku)) return whole;
  return [whole, parted].find((reading) => wordsOf(reading) === answer);
}

/** The units of a SKU for one bin, and the lines that they come from. */
export interface Sum extends Reading {
  readonly place: string;
  readonly texts: readonly string[];
}

/** Sums the units by SKU and bin. */
export function sumsOf(readings: readonly (Reading & Readonly<{ place: string; text: string }>)[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { sku, units, place, text } of readings) {
    const key = JSON.stringify([sku, place]);
    const { units: before, texts } = sums.get(key) ?? { units: 0, texts: [] };
    sums.set(key, { sku, place, units: before + units, texts: [...texts, text] });
  }
  return [...sums.values()];
}

/** A line as it may be read: a SKU and its units. */
export interface Reading {
  readonly sku: string;
  readonly units: number;
}

/** What a line may mean: its end may be units, or a part of the SKU. Without units it is one. */
export interface SkuLine {
  readonly text: string;
  readonly whole: Reading;
  readonly parted: Reading | undefined;
}

/** Reads a text with one line for each. A repeated line counts again, as a scanner sends it. */
export function linesIn(text: string): SkuLine[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [, sku, units] = /^(.*?[^\s,;])[\s,;]+(\d{1,9})$/.exec(line) ?? [];
    return { text: line, whole: { sku: line, units: 1 }, parted: sku ? { sku, units: Number(units) } : undefined };
  });
}

/** What a person reads, and answers: `60 × LAMP`. */
export const wordsOf = ({ sku, units }: Reading): string => `${units.toLocaleString()} × ${sku}`;

/**
 * Which of the readings a line has. A SKU of the store wins, and without any the service refuses it.
 * @param has whether the store has a SKU. @param answer of the person, as `wordsOf` has it.
 * @returns undefined where both are SKUs and the person has not said which.
 */
export function readLine({ whole, parted }: SkuLine, has: (sku: string) => boolean, answer = ''): Reading | undefined {
  if (!parted) return whole;
  if (!has(whole.sku)) return parted;
  if (!has(parted.sku)) return whole;
  return [whole, parted].find((reading) => wordsOf(reading) === answer);
}

/** Units by SKU. */
export function sumsOf(readings: readonly Reading[]): Reading[] {
  const sums = new Map<string, number>();
  for (const { sku, units } of readings) sums.set(sku, (sums.get(sku) ?? 0) + units);
  return [...sums].map(([sku, units]) => ({ sku, units }));
}

/** Units of an order line. Lines are numbered from 1. */
export interface LineQuantity {
  readonly line: number;
  readonly quantity: number;
}

/** Returns one entry for each line. */
export function sumByLine(lines: readonly LineQuantity[]): LineQuantity[] {
  return [...unitsByLine(lines)].map(([line, quantity]) => ({ line, quantity }));
}

export function unitsByLine(lines: readonly LineQuantity[]): Map<number, number> {
  const byLine = new Map<number, number>();
  for (const { line, quantity } of lines) byLine.set(line, (byLine.get(line) ?? 0) + quantity);
  return byLine;
}

/** Omits lines of which no unit is left. */
export function unitsBeyond(lines: readonly LineQuantity[], taken: readonly LineQuantity[]): LineQuantity[] {
  const takenOf = new Map(taken.map(({ line, quantity }) => [line, quantity]));
  return lines
    .map(({ line, quantity }) => ({ line, quantity: quantity - (takenOf.get(line) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

/** Whether both have the same units of each line. */
export function isSameUnits(one: readonly LineQuantity[], other: readonly LineQuantity[]): boolean {
  const [units, others] = [sumByLine(one), sumByLine(other)];
  return covers(units, others) && covers(others, units);
}

export function covers(available: readonly LineQuantity[], requested: readonly LineQuantity[]): boolean {
  return unitsBeyond(requested, available).length === 0;
}

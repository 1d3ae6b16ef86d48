/**
 * A small deterministic random source: the same seed gives the same numbers on every machine. Not for secrets.
 *
 * The generator is mulberry32 by Tommy Ettinger, public domain, in the JavaScript form of
 * https://github.com/bryc/code/blob/master/jshash/PRNGs.md#mulberry32
 */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** An integer from 0 to 2^32 − 1. */
  uint32(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A number from 0 to below 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32;
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.fraction() * 100 < percent;
  }

  /** @throws RangeError when the list is empty. */
  pick<T>(list: readonly T[]): T {
    const item = list[this.integer(0, list.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** `count` distinct items of the list in random order, or all items when the list is shorter. */
  sample<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) {
      taken.push(...rest.splice(this.integer(0, rest.length - 1), 1));
    }
    return taken;
  }

  /** An independent source for one part: the number of draws in that part does not change what follows it. */
  fork(): SeededRandom {
    return new SeededRandom(this.uint32());
  }

  /** A UUID in the shape of version 4. */
  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.uint32().toString(16).padStart(8, '0')).join('');
    const variant = (8 + (parseInt(hex.slice(16, 17), 16) % 4)).toString(16);
    const groups = [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      variant + hex.slice(17, 20),
      hex.slice(20),
    ];
    return groups.join('-');
  }
}

/** Items with weights; one draw takes a single number from the random source. */
export class WeightedChoice<T> {
  private readonly cumulative: number[] = [];

  constructor(
    private readonly items: readonly T[],
    weightOf: (item: T, index: number) => number,
  ) {
    let sum = 0;
    for (const [index, item] of items.entries()) this.cumulative.push((sum += weightOf(item, index)));
  }

  /** @throws RangeError when there are no items. */
  draw(random: SeededRandom): T {
    const target = random.fraction() * (this.cumulative.at(-1) ?? 0);
    let low = 0;
    let high = this.items.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.cumulative[middle] ?? 0) > target) high = middle;
      else low = middle + 1;
    }
    const item = this.items[low];
    if (item === undefined) throw new RangeError('nothing to draw from');
    return item;
  }
}

/** Zipf weights with a flattened head (Zipf–Mandelbrot): rank n is drawn in proportion to 1 / (n + 4)^exponent. */
export function zipf<T>(items: readonly T[], exponent: number): WeightedChoice<T> {
  return new WeightedChoice(items, (_item, index) => 1 / (index + 5) ** exponent);
}

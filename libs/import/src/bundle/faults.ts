/** Why a field or a whole line is invalid. The message names the field by its path and repeats no personal text. */
export class Fault extends Error {
  /** @param path such as `product.variants[0].price`. */
  constructor(
    private readonly path: string,
    private readonly problem: string,
  ) {
    super(`${path} ${problem}`);
  }

  /** This fault, and after it others of the same line, each once. */
  with(others: readonly string[]): Fault {
    const more = others.filter((other) => other !== this.message);
    return new Fault(this.path, [this.problem, ...more].join('; '));
  }
}

/** A bad line of a bundle. */
export class BundleLineError extends Error {
  constructor(
    /** Counted from 1. */
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`);
  }
}

/** The bad lines of a bundle, at least one, in file order. The message lists them, one per line. */
export class BadLines extends Error {
  /** @param hasMore whether the bundle may have more bad lines than the listed ones. */
  constructor(
    readonly faults: readonly BundleLineError[],
    hasMore = false,
  ) {
    super([...faults.map(({ message }) => message), ...(hasMore ? ['There may be more bad lines.'] : [])].join('\n'));
  }
}

/** Text of the bundle for a message: quoted, and cut when it is long. */
export function quoted(text: string): string {
  const characters = Array.from(text);
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text);
}

import { errorCode } from '@app/infrastructure';

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

export class BundleLineError extends Error {
  /** @param line counts from 1. */
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`);
  }
}

/** The bad lines of a bundle, in file order. The message lists them, one per line. */
export class BadLines extends Error {
  /** @param hasMore whether the bundle may have more bad lines than the listed ones. */
  constructor(
    readonly faults: readonly BundleLineError[],
    hasMore = false,
  ) {
    super([...faults.map(({ message }) => message), ...(hasMore ? ['There may be more bad lines.'] : [])].join('\n'));
  }
}

/**
 * The error's code and the constraint's name, if the database rejects a value: its own text may quote personal data.
 *
 * @returns null for every other error.
 */
export function rejectionOf(error: unknown): string | null {
  const code = errorCode(error);
  if (!code || !/^(22|23)/.test(code)) return null;
  const { constraint } = (error as { driverError?: { constraint?: string } }).driverError ?? {};
  return constraint ? `${code}, ${constraint}` : code;
}

/** Text of the bundle for a message: quoted, and cut when it is long. */
export function quoted(text: string): string {
  const characters = Array.from(text);
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text);
}

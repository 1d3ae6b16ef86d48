import { errorCode } from '@app/infrastructure';

/** The message contains no personal text. */
export class Fault extends Error {
  /** @param path a path such as `product.variants[0].price`. */
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${path} ${problem}`);
  }

  with(others: readonly string[]): Fault {
    const more = others.filter((other) => other !== this.message);
    return new Fault(this.path, [this.problem, ...more].join('; '));
  }
}

export class BundleLineError extends Error {
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`);
  }
}

export class BadLines extends Error {
  /** @param hasMore whether the bundle may have more bad lines than the listed ones. */
  constructor(
    readonly faults: readonly BundleLineError[],
    hasMore = false,
  ) {
    super(
      [...faults.map(({ message }) => message), ...(hasMore ? ['There may be more invalid lines.'] : [])].join('\n'),
    );
  }
}

/**
 * Returns null unless the database rejects a value. The text is not PostgreSQL's own, which may quote personal data.
 */
export function rejectionOf(error: unknown): string | null {
  const code = errorCode(error);
  if (!code || !/^(22|23)/.test(code)) return null;
  const { constraint: own, driverError } = error as { constraint?: string; driverError?: { constraint?: string } };
  const constraint = driverError?.constraint ?? own;
  return constraint ? `${code}, ${constraint}` : code;
}

export function quoted(text: string): string {
  const characters = Array.from(text);
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text);
}

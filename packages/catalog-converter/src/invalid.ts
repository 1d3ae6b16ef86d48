/** Why a file or a product is invalid. */
export class Invalid extends Error {
  constructor(
    readonly problem: string,
    /** The line from 1. Undefined while the problem has no line. */
    readonly line?: number,
  ) {
    super(line === undefined ? problem : `line ${line}: ${problem}`);
  }
}

/** A product that the service does not sell although its rows are valid. */
export class NotSold extends Error {}

/** Adds the line to a problem without one. @throws Invalid */
export function atLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Invalid && error.line === undefined ? new Invalid(error.problem, line) : error;
  }
}

/** Formats text of the file for a message: quoted, and cut when it is long. */
export function quoted(text: string): string {
  const characters = Array.from(text);
  return JSON.stringify(characters.length > 80 ? `${characters.slice(0, 80).join('')}…` : text);
}

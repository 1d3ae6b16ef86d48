import { createRequire } from 'node:module';

/** The service and the application that extends it have a Nest each. Neither knows the exceptions and providers of the other. */
export class TwoCopiesOfNest extends Error {
  constructor(copies: readonly string[]) {
    super(
      `Two copies of @nestjs/common are installed: ${copies.join(' and ')}. See docs/extending.md, "The repository".`,
    );
  }
}

/**
 * @param program the main file of an application that extends the service.
 * @throws TwoCopiesOfNest
 */
export function requireOneNest(program = process.argv[1]): void {
  const copies = new Set([import.meta.url, program ?? ''].flatMap(nestOf));
  if (copies.size > 1) throw new TwoCopiesOfNest([...copies]);
}

/** The entry file of Nest that a file imports, if it finds one. */
function nestOf(file: string): string[] {
  try {
    return [createRequire(file).resolve('@nestjs/common')];
  } catch {
    return [];
  }
}

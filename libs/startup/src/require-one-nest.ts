import { createRequire } from 'node:module';

/** Two copies of Nest are loaded, and neither knows the exceptions and providers of the other. */
export class TwoCopiesOfNest extends Error {
  constructor(copies: readonly string[]) {
    super(
      `Two copies of @nestjs/common are installed: ${copies.join(' and ')}. See docs/extending.md, "The repository".`,
    );
  }
}

export function requireOneNest(program = process.argv[1]): void {
  const copies = new Set([import.meta.url, program ?? ''].flatMap(nestOf));
  if (copies.size > 1) throw new TwoCopiesOfNest([...copies]);
}

function nestOf(file: string): string[] {
  try {
    return [createRequire(file).resolve('@nestjs/common')];
  } catch {
    return [];
  }
}

/** The lines that a defect replaces, 1 by default, after a comment `@protects tag`; no replacement deletes them. */
export type Edit = readonly [tag: string, replacement?: string, lines?: number];

export interface Mutant {
  readonly name: string;
  readonly proof: string;
  /** Matches the violation that this defect causes, and no violation of another cause. */
  readonly noticedAs: RegExp;
  readonly edits: readonly Edit[];
}

/** @param proof whose quick form always notices the defect, or the path of a spec, ` -t ` and a title's beginning. */
export function mutant(name: string, proof: string, noticedAs: RegExp, ...edits: readonly Edit[]): Mutant {
  return { name, proof, noticedAs, edits };
}

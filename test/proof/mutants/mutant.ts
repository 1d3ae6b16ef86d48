/**
 * The lines that a defect replaces, 1 by default, after the line of a comment `@protects tag`; no replacement deletes them.
 * Every tag occurs once.
 */
export type Edit = readonly [tag: string, replacement?: string, lines?: number];

/** A defect that a proof must notice. */
export interface Mutant {
  readonly name: string;
  /** See {@link mutant}. */
  readonly proof: string;
  /** Matches the violation that this defect causes, and no violation of another cause. */
  readonly noticedAs: RegExp;
  readonly edits: readonly Edit[];
}

/**
 * @param proof the name of a proof, whose quick form notices the defect every time. Or the path of a spec, with ` -t `
 *   and the beginning of a title, where the defect shows only on a database that no proof starts.
 */
export function mutant(name: string, proof: string, noticedAs: RegExp, ...edits: readonly Edit[]): Mutant {
  return { name, proof, noticedAs, edits };
}

/** A file, from the root of the repository; a text that occurs exactly once in it; and its replacement. */
export type Edit = readonly [file: string, find: string, replace: string];

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

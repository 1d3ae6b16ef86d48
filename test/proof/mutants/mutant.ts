/** A text that occurs exactly once in the file, and its replacement. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A defect that a proof must notice. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The name of a proof, or the path of a spec where the defect shows only on a database that no proof starts. */
  readonly proof: string;
  /** Arguments of `run.ts`, or of Jest, for the smallest form that notices the defect every time. */
  readonly args: readonly string[];
  /** Matches the violation that this defect causes, and no violation of another cause. */
  readonly noticedAs: RegExp;
}

export interface Guide {
  /** The path below `/docs/`. */
  readonly name: string;
  readonly file: string;
  readonly title: string;
}

export const GUIDES: readonly Guide[];

/** Makes the anchor of a heading as GitHub does. */
export function anchorOf(heading: string): string;

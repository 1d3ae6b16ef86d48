/** The connection was lost during COMMIT: the transaction may or may not have taken effect. */
export class CommitOutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('The outcome of the commit is unknown', { cause });
  }
}

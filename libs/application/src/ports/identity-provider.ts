/** The account of a person at the identity provider. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /**
   * The e-mail as the provider wrote it. The provider has verified that it belongs to the person, or the operator
   * trusts that it has.
   */
  readonly email: string;
}

/** Has nothing that the provider sent, which may contain personal data. */
export class ProviderFailure extends Error {
  /**
   * @param outcome `unavailable` when the provider gave no usable answer; `refused` when its answer signs in nobody;
   *   `not_added` when no person has the e-mail; `other_account` when the person who has it is pinned to another account.
   * @param reason a word for the log.
   */
  constructor(
    readonly outcome: 'refused' | 'unavailable' | 'not_added' | 'other_account',
    readonly reason: string = outcome,
  ) {
    super(reason);
  }
}

export abstract class IdentityProvider {
  /**
   * @returns where to send the browser, what only this browser keeps until it comes back, and the state, with which it comes
   *   back: `A-Za-z0-9_-`.
   * @throws ProviderFailure
   */
  abstract begin(redirectUri: string): Promise<Readonly<Record<'url' | 'state' | 'saved', string>>>;

  /**
   * @param currentUrl the redirect URI with the parameters of the provider.
   * @param saved by `begin`.
   * @throws ProviderFailure
   */
  abstract finish(currentUrl: string, saved: string): Promise<ProvidedIdentity>;
}

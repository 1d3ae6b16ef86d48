/** The account of a person at the identity provider. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /**
   * The e-mail in the provider's spelling. The provider has verified that it belongs to the person, or the operator
   * trusts that it does.
   */
  readonly email: string;
}

/** Contains nothing that the provider sent, because that may be personal data. */
export class ProviderFailure extends Error {
  /**
   * @param outcome `unavailable` when the provider gave no usable answer; `refused` when its answer identifies no
   * account; `not_added` when no person has the e-mail; `other_account` when the person who has it is linked to another
   * account.
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
   * @returns the URL to send the browser to, what only this browser keeps until it returns, and the state with which it
   * returns, in the alphabet `A-Za-z0-9_-`.
   * @throws ProviderFailure
   */
  abstract begin(redirectUri: string): Promise<Readonly<Record<'url' | 'state' | 'saved', string>>>;

  /**
   * @param currentUrl the redirect URI with the parameters of the provider.
   * @param saved the value that `begin` returned.
   * @throws ProviderFailure
   */
  abstract finish(currentUrl: string, saved: string): Promise<ProvidedIdentity>;
}

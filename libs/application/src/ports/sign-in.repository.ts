import type { ApiKeyMode, Role } from '@app/domain';

/** An account at an identity provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** A code to be mailed. The hash of the secret covers the nonce and the code. */
export interface NewSignInCode {
  readonly id: string;
  /** In lower case. It may be an address that no person has. */
  readonly email: string;
  readonly nonceHash: Buffer;
  readonly secretHash: Buffer;
  readonly code: string;
  /** Requests from one network count together. */
  readonly network: string;
}

/** The token of a link from the command line, or of a sign-in at an identity provider. The token is the secret. */
export interface NewSignInToken {
  readonly id: string;
  readonly email: string;
  readonly oidc: OidcIdentity | null;
  /** Null for a link, which any browser may open. */
  readonly nonceHash: Buffer | null;
  readonly secretHash: Buffer;
}

/** A sign-in that is still valid. */
export interface SignIn {
  readonly id: string;
  readonly email: string;
  readonly oidc: OidcIdentity | null;
}

/** A person of an active store whom the browser may sign in as. */
export interface SignInCandidate {
  readonly id: string;
  readonly name: string;
  readonly store: { readonly id: number; readonly subdomain: string; readonly name: string };
}

export interface SignInOrigin {
  /** The browser and the operating system. */
  readonly device: string;
  /** The address of the client. */
  readonly address: string;
}

export interface NewSession {
  readonly id: string;
  readonly mode: ApiKeyMode;
  readonly hash: Buffer;
  readonly lastFour: string;
}

export interface SignedIn {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

/** All times are by the database's clock. */
export abstract class SignInRepository {
  /**
   * Adds the code; the worker then mails it. An address that no person has gets the same treatment.
   * @returns 0, or the seconds to wait when the network or the address has used up its codes; nothing is added then.
   */
  abstract requestCode(code: NewSignInCode): Promise<number>;

  /** @returns when the token expires; null when the e-mail had too many sign-ins at the provider within an hour. */
  abstract insertToken(token: NewSignInToken, minutes: number): Promise<Date | null>;

  /**
   * Counts an attempt at the code that the browser requested, before it is compared. A wrong code adds an entry to the
   * audit of each store of the person in the same transaction, so that the time of an answer does not tell whether there
   * is such a person.
   * @param isCorrect compares the hash of the secret.
   * @returns null when the code is wrong, when there is no code, or when its attempts are used up.
   */
  abstract countAttempt(
    nonceHash: Buffer,
    isCorrect: (secretHash: Buffer) => boolean,
    address: string,
  ): Promise<SignIn | null>;

  /** Adds an entry about a failed sign-in at the identity provider to the audit of each store of the person. */
  abstract recordFailure(email: string, address: string): Promise<void>;

  /** Uncounts the attempt: the code was correct and can still be used. */
  abstract returnAttempt(id: string): Promise<void>;

  /** @param nonceHash the hash of the browser's nonce; a token that is bound to another browser is not found. */
  abstract findToken(secretHash: Buffer, nonceHash: Buffer | null): Promise<SignIn | null>;

  /**
   * Finds at most one current person per store. For a mailed code or a link, that is the person with the address. With
   * an identity provider, it is the person linked to the identity, otherwise the unlinked person with the address.
   */
  abstract candidates(signIn: SignIn): Promise<SignInCandidate[]>;

  /**
   * Uses up the sign-in and adds the sessions of a candidate, with the scope of the current role. Links the person to
   * the identity.
   * @param replaced hashes of the browser's previous sessions, which are deleted.
   * @returns null when the sign-in was used or has expired in between, or the person was removed; no session is added
   * then.
   */
  abstract use(
    signIn: SignIn,
    candidate: SignInCandidate,
    sessions: readonly NewSession[],
    from: SignInOrigin,
    replaced: readonly Buffer[],
  ): Promise<SignedIn | null>;

  /** Deletes sessions by their hashes, and never the keys of machines. */
  abstract endSessions(hashes: readonly Buffer[]): Promise<void>;
}

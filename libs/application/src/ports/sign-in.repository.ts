import type { ApiKeyMode, Role } from '@app/domain';

/** An account at an identity provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** A code that is to be mailed. The hash of the secret is that of the nonce and the code. */
export interface NewSignInCode {
  readonly id: string;
  /** Lower case. It need not be the e-mail of a person. */
  readonly email: string;
  readonly nonceHash: Buffer;
  readonly secretHash: Buffer;
  readonly code: string;
  /** Requests of one network count together. */
  readonly network: string;
}

/** A link of the command line, or an entry after the sign-in at an identity provider. The secret is its token. */
export interface NewSignInToken {
  readonly id: string;
  readonly email: string;
  readonly oidc: OidcIdentity | null;
  /** Null for a link, which any browser may open. */
  readonly nonceHash: Buffer | null;
  readonly secretHash: Buffer;
}

/** A sign-in that is neither used nor at its end. */
export interface SignIn {
  readonly id: string;
  readonly email: string;
  readonly oidc: OidcIdentity | null;
}

/** A person of an active store, as whom a browser may sign in. */
export interface SignInCandidate {
  readonly id: string;
  readonly name: string;
  readonly store: { readonly id: number; readonly subdomain: string; readonly name: string };
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
   * Adds the code, whose mail the worker then sends. The same is done for an address that no person has.
   * @returns 0, or the seconds to wait when the network or the address has had its codes: then nothing is added.
   */
  abstract requestCode(code: NewSignInCode): Promise<number>;

  /** @returns when it ends. */
  abstract insertToken(token: NewSignInToken, minutes: number): Promise<Date>;

  /**
   * Counts an attempt at the code that the browser asked for, before anything is compared. Null when there is none, or it has
   * had its attempts.
   */
  abstract countAttempt(nonceHash: Buffer): Promise<(SignIn & { readonly secretHash: Buffer }) | null>;

  /** The code was right and is still to be used: the attempt does not count. */
  abstract returnAttempt(id: string): Promise<void>;

  /** @param nonceHash of the browser; one that is bound to another browser is not found. */
  abstract findToken(secretHash: Buffer, nonceHash: Buffer | null): Promise<SignIn | null>;

  /**
   * Finds the candidates as they are now, one a store: who has the address; after an identity provider, who is pinned
   * to the identity, else who has the address and no pin.
   */
  abstract candidates(signIn: SignIn): Promise<SignInCandidate[]>;

  /**
   * Uses the sign-in up and adds the sessions of a candidate with the scope of the present role. Pins the person to the
   * identity.
   * @param replaced hashes of the sessions that the browser has had: they are deleted.
   * @returns null when it was used or has ended since, or the person is gone: then there are no sessions.
   */
  abstract use(
    signIn: SignIn,
    candidate: SignInCandidate,
    sessions: readonly NewSession[],
    device: string,
    replaced: readonly Buffer[],
  ): Promise<SignedIn | null>;

  /** Deletes sessions by their hashes. Keys of machines stay. */
  abstract endSessions(hashes: readonly Buffer[]): Promise<void>;
}

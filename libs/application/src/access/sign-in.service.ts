import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  API_KEY_SECRET,
  composeSessionSecret,
  composeSignInCode,
  foldMailAddress,
  isSessionSecret,
  NotFound,
  readSignInCode,
  SignInInvalid,
  SIGN_IN_CODE,
  type ApiKeyMode,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ProviderFailure } from '../ports/identity-provider.js';
import {
  SignInRepository,
  type OidcIdentity,
  type SignedIn,
  type SignIn,
  type SignInCandidate,
  type SignInOrigin,
} from '../ports/sign-in.repository.js';
import { MAX_SIGN_INS } from '../capacity.js';
import { Overloaded } from '../failures.js';
import { Semaphore } from '../semaphore.js';
import { SLOT_WAIT_MS } from '../time-limits.js';
import { hashApiKey } from './authenticate-api-key.js';
import { drawSymbols } from './draw-symbols.js';
import { networkOf } from './networks.js';

/** How long a session lasts after the sign-in. */
export const SESSION_HOURS = 12;
/** How many browsers of a person are signed in to a store; a further sign-in ends the oldest. */
export const MAX_SIGNED_IN = 50;
const LINK_MINUTES = 15;
/** The page posts the token as soon as it arrives, so this can be short. */
const OIDC_MINUTES = 5;

/** The wait that a client is asked for when too many codes are requested at the same time. */
const BUSY_SECONDS = 1;

const NONCE_BYTES = 16;
const TOKEN_BYTES = 32;

export type CodeRequested =
  | { readonly nonce: string; readonly retryAfterSeconds: 0 }
  | { readonly nonce: null; readonly retryAfterSeconds: number };

/** A code that a person typed, or the token of a link or of a sign-in at an identity provider. */
export type SignInProof = { readonly code: string } | { readonly link: string };

export interface Browser extends SignInOrigin {
  /** The nonce in the browser's cookie. */
  readonly nonce: string | undefined;
  /** The secrets in the browser's cookies. A new sign-in ends these sessions. */
  readonly sessions: readonly string[];
}

export interface SignInResult {
  readonly person: SignedIn;
  readonly store: SignInCandidate['store'];
  /** The session secrets by mode. */
  readonly secrets: Readonly<Record<ApiKeyMode, string>>;
}

@Injectable()
export class SignInService {
  /** Limits requests that need no key. Requests of one network wait for each other here, before they take a connection. */
  // @protects sign-in-slots
  private readonly slots = new Semaphore(() => MAX_SIGN_INS, SLOT_WAIT_MS, 1);

  constructor(private readonly signIns: SignInRepository) {}

  /**
   * Behaves the same for every e-mail, so that a caller cannot find out which e-mails are known. @param address the IP
   * address of the client.
   */
  async requestCode(email: string, address: string): Promise<CodeRequested> {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const code = composeSignInCode(drawSymbols(SIGN_IN_CODE));
    const network = networkOf(address);
    const wanted = {
      id: uuidv7(),
      email: foldMailAddress(email.trim()),
      nonceHash: sha256(nonce),
      secretHash: hashOfCode(nonce, code),
      code,
      network,
    };
    const retryAfterSeconds = await this.slots
      .run(network, () => this.signIns.requestCode(wanted))
      // The answer is like that of the network's limit, so that a proxy counts both alike.
      .catch((error: unknown) => (error instanceof Overloaded ? BUSY_SECONDS : Promise.reject(error as Error)));
    return retryAfterSeconds === 0 ? { nonce, retryAfterSeconds } : { nonce: null, retryAfterSeconds };
  }

  /**
   * Makes the token of a sign-in link for the operator. Any browser may use it once.
   * @throws NotFound for an unknown address.
   */
  async makeLink(address: string): Promise<{ token: string; expiresAt: Date; candidates: SignInCandidate[] }> {
    const [id, email] = [uuidv7(), foldMailAddress(address.trim())];
    const candidates = await this.signIns.candidates({ id, email, oidc: null });
    if (candidates.length === 0) throw new NotFound('Person with this e-mail in an active store');
    return { ...(await this.drawToken({ id, email, oidc: null, nonceHash: null }, LINK_MINUTES)), candidates };
  }

  /**
   * Makes the token that completes a sign-in at an identity provider.
   * @param email as verified by the provider.
   * @param browser only the browser with this nonce, which began the sign-in, can use the token.
   * @throws ProviderFailure when no person has the account, or when the account has signed in too often within an hour.
   * A caller who has proved an address may learn that no person has it.
   */
  async makeOidcEntry(
    email: string,
    oidc: OidcIdentity,
    { nonce, address }: { readonly nonce: string; readonly address: string },
  ): Promise<string> {
    const entry = { id: uuidv7(), email: foldMailAddress(email), oidc, nonceHash: sha256(nonce) };
    if ((await this.signIns.candidates(entry)).length === 0) {
      const ofOthers = await this.signIns.candidates({ ...entry, oidc: null });
      if (ofOthers.length === 0) throw new ProviderFailure('not_added');
      await this.signIns.recordFailure(entry.email, address);
      throw new ProviderFailure('other_account');
    }
    return (await this.drawToken(entry, OIDC_MINUTES)).token;
  }

  /**
   * Returns whom, and in which stores, the link would sign in, without using it.
   * @throws SignInInvalid, and Overloaded when the wait for a slot times out.
   */
  look(link: string, { nonce, address }: Pick<Browser, 'nonce' | 'address'>): Promise<readonly SignInCandidate[]> {
    return this.inSlot(address, async () => {
      const signIn = await this.findToken(link, nonce);
      const candidates = signIn ? await this.signIns.candidates(signIn) : [];
      if (candidates.length === 0) throw new SignInInvalid();
      return candidates;
    });
  }

  /**
   * @param store the subdomain of the store, for a person with several stores.
   * @returns the stores to choose from when there are several; the sign-in is then still unused.
   * @throws SignInInvalid, and Overloaded when the wait for a slot times out.
   */
  enter(
    proof: SignInProof,
    browser: Browser,
    store: string | undefined,
  ): Promise<SignInResult | readonly SignInCandidate[]> {
    return this.inSlot(browser.address, () => this.enterInSlot(proof, browser, store));
  }

  /** @param sessions the secrets of the sessions. @throws Overloaded when the wait for a slot times out. */
  async signOut({ address, sessions }: Pick<Browser, 'address' | 'sessions'>): Promise<void> {
    const hashes = hashesOf(sessions);
    if (hashes.length > 0) await this.inSlot(address, () => this.signIns.endSessions(hashes));
  }

  private inSlot<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.slots.run(networkOf(address), work);
  }

  private async enterInSlot(
    proof: SignInProof,
    { nonce, device, address, sessions }: Browser,
    store: string | undefined,
  ): Promise<SignInResult | readonly SignInCandidate[]> {
    const signIn = await ('code' in proof
      ? this.findCode(proof.code, nonce, address)
      : this.findToken(proof.link, nonce));
    if (!signIn) throw new SignInInvalid();
    const candidates = await this.signIns.candidates(signIn);
    if (store === undefined && candidates.length > 1) {
      if ('code' in proof) await this.signIns.returnAttempt(signIn.id);
      return candidates;
    }
    const candidate = candidates.find(({ store: { subdomain } }) => store === undefined || subdomain === store);
    if (!candidate) throw new SignInInvalid();
    const [live, test] = [drawSession('live'), drawSession('test')];
    const made = [live.session, test.session];
    const person = await this.signIns.use(signIn, candidate, made, { device, address }, hashesOf(sessions));
    if (!person) throw new SignInInvalid();
    return { person, store: candidate.store, secrets: { live: live.secret, test: test.secret } };
  }

  private async drawToken(entry: SignIn & { readonly nonceHash: Buffer | null }, minutes: number) {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = await this.signIns.insertToken({ ...entry, secretHash: sha256(token) }, minutes);
    if (!expiresAt) throw new ProviderFailure('unavailable', 'too_often');
    return { token, expiresAt };
  }

  /** A text that cannot be a code does not count as an attempt. */
  private async findCode(text: string, nonce: string | undefined, address: string): Promise<SignIn | null> {
    const code = readSignInCode(text);
    if (code === null || nonce === undefined) return null;
    const hash = hashOfCode(nonce, code);
    return this.signIns.countAttempt(sha256(nonce), (secretHash) => timingSafeEqual(secretHash, hash), address);
  }

  private findToken(token: string, nonce: string | undefined): Promise<SignIn | null> {
    return this.signIns.findToken(sha256(token), nonce === undefined ? null : sha256(nonce));
  }
}

/** Leaves out texts that cannot be secrets, so that they cost the database nothing. */
const hashesOf = (sessions: readonly string[]): Buffer[] => sessions.filter(isSessionSecret).map(hashApiKey);

/** A code has only 40 random bits. The nonce, which only the browser has, prevents a search in a copy of the table. */
const hashOfCode = (nonce: string, code: string): Buffer => sha256(`${nonce}:${code}`);

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function drawSession(mode: ApiKeyMode) {
  const secret = composeSessionSecret(drawSymbols(API_KEY_SECRET));
  return { secret, session: { id: uuidv7(), mode, hash: hashApiKey(secret), lastFour: secret.slice(-4) } };
}

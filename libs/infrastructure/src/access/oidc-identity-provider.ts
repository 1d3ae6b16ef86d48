import { IdentityProvider, ProviderFailure, type ProvidedIdentity } from '@app/application';
import { isMailAddress } from '@app/domain';
import * as oidc from 'openid-client';
import type { OidcClient } from '../platform/config.js';
import { failureName } from '../platform/error-code.js';

/** Limits each request to the provider, including its answer. */
const TIMEOUT_SECONDS = 5;
const ANSWER_BYTES = 1 << 20;
/** How long the endpoints and algorithms of the provider are cached. */
const DISCOVERY_MS = 3_600_000;

/** The form of a subject in OpenID Connect Core 1.0, section 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

interface Discovery {
  readonly until: number;
  readonly metadata: Promise<oidc.ServerMetadata>;
}

export class OidcIdentityProvider extends IdentityProvider {
  private discovery: Discovery | null = null;

  constructor(private readonly client: OidcClient) {
    super();
  }

  override async begin(redirectUri: string) {
    const provider = configure(await this.discover(), this.client);
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const verifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, state, saved: [state, nonce, verifier].join('.') };
  }

  override async finish(currentUrl: string, saved: string): Promise<ProvidedIdentity> {
    // The library caches a provider's keys with its configuration, and reads them at most once a minute. The
    // configuration object is new here, because the provider may have another key by now.
    const provider = configure(await this.discover(), this.client);
    try {
      return await identify(provider, new URL(currentUrl), saved, this.client.trustsEmail);
    } catch (error) {
      throw failureOf(error as Error, 'refused');
    }
  }

  /** Runs once for all concurrent callers. A failure is not cached. */
  private async discover(): Promise<oidc.ServerMetadata> {
    const now = performance.now();
    if (!this.discovery || now >= this.discovery.until) {
      this.discovery = { until: now + DISCOVERY_MS, metadata: discover(this.client) };
    }
    const { discovery } = this;
    try {
      return await discovery.metadata;
    } catch (error) {
      if (this.discovery === discovery) this.discovery = null;
      throw failureOf(error as Error, 'unavailable');
    }
  }
}

async function discover({ issuer, clientId, clientSecret }: OidcClient): Promise<oidc.ServerMetadata> {
  const server = new URL(issuer);
  const provider = await oidc.discovery(server, clientId, clientSecret, undefined, {
    execute: isPlainHttp(server) ? [oidc.allowInsecureRequests] : [],
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: fetchShort,
  });
  const metadata = provider.serverMetadata();
  // For tenants of Microsoft, the library accepts other issuers: those of every company.
  // @protects oidc-issuer
  if (new URL(metadata.issuer).href !== server.href) {
    throw new ProviderFailure('unavailable', 'other_issuer');
  }
  return metadata;
}

function configure(metadata: oidc.ServerMetadata, { clientId, clientSecret }: OidcClient): oidc.Configuration {
  const provider = new oidc.Configuration(metadata, clientId, clientSecret);
  provider.timeout = TIMEOUT_SECONDS;
  provider[oidc.customFetch] = fetchShort;
  // Without this check, the library trusts the connection to the provider instead of the signature.
  // @protects id-token-signature
  oidc.enableNonRepudiationChecks(provider);
  if (isPlainHttp(new URL(metadata.issuer))) oidc.allowInsecureRequests(provider);
  return provider;
}

/** The configuration allows plain http only for this machine. */
const isPlainHttp = ({ protocol }: URL): boolean => protocol === 'http:';

async function identify(
  provider: oidc.Configuration,
  url: URL,
  saved: string,
  trustsEmail: boolean,
): Promise<ProvidedIdentity> {
  // @protects sign-in-state
  const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] = saved.split('.');
  const tokens = await oidc.authorizationCodeGrant(provider, url, { expectedState, expectedNonce, pkceCodeVerifier });
  // With a nonce, the library requires an ID token.
  const claims = tokens.claims() as oidc.IDToken;
  const { iss: issuer, sub: subject } = claims;
  // Some providers return the e-mail only here. The library compares the subjects.
  const named = claims.email === undefined ? await oidc.fetchUserInfo(provider, tokens.access_token, subject) : claims;
  const { email, email_verified: verified } = named;
  // @protects trusted-email
  const isVerified = verified === true || (verified === undefined && trustsEmail);
  // @protects verified-email
  if (typeof email !== 'string' || !isVerified) throw new ProviderFailure('refused', 'email_not_verified');
  // Another spelling would be the address of another person.
  // @protects plain-email
  if (!isMailAddress(email)) throw new ProviderFailure('refused', 'email_not_plain');
  if (!SUBJECT.test(subject)) throw new ProviderFailure('refused', 'subject_not_valid');
  return { issuer, subject, email };
}

/** Limits the size of a response, because the library reads it as a whole. */
async function fetchShort(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  try {
    const response = await fetch(url, options);
    if (response.status >= 500) throw new ProviderFailure('unavailable', `status_${response.status}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk as Uint8Array);
      length += (chunk as Uint8Array).length;
      if (length > ANSWER_BYTES) throw new ProviderFailure('unavailable', 'answer_too_long');
    }
    return new Response(Buffer.concat(chunks), response);
  } catch (error) {
    throw failureOf(error as Error, 'unavailable');
  }
}

/** The library wraps the errors of `fetchShort`, and `fetch` wraps those of the connection. */
function failureOf(error: Error, outcome: ProviderFailure['outcome']): ProviderFailure {
  const errors = [error, error.cause as Error | undefined];
  const failure = errors.find((each) => each instanceof ProviderFailure);
  if (failure) return failure;
  const named = errors.find((each) => typeof (each as { code?: unknown } | undefined)?.code === 'string');
  return new ProviderFailure(outcome, failureName(named ?? error));
}

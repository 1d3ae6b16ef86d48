import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { base64url, exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK } from 'jose';

export const CLIENT = { id: 'store', secret: 'secret-of-the-client' };

type Claims = Record<string, unknown>;
type Answer = (response: ServerResponse) => unknown;
type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** What the provider says about the person, and how it lies. */
export interface Lies {
  /** Replaces claims of the ID token; undefined removes one. */
  readonly claims?: Claims;
  /** The claims of the userinfo endpoint. */
  readonly userinfo?: Claims;
  readonly discovery?: Claims;
  /** Signs the claims instead of the provider's key. */
  readonly sign?: (claims: Claims, provider: LyingProvider) => string | Promise<string>;
  /** Replaces the usual answers, by the path of an endpoint. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** An identity provider on this machine that checks nothing, and says what a test makes it say. */
export class LyingProvider {
  lies: Lies = {};
  private nonce: unknown;

  private constructor(
    private readonly server: http.Server,
    private keys: Keys,
    private jwk: JWK,
    /** The key in PEM. */
    readonly publicKey: string,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<LyingProvider> {
    const keys = await drawKeys();
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LyingProvider(server, keys, await jwkOf('a', keys), await exportSPKI(keys.publicKey));
  }

  /** From now on it signs with another key, and publishes only that one. */
  async rotateKey(): Promise<void> {
    this.keys = await drawKeys();
    this.jwk = await jwkOf('b', this.keys);
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Signs the person in. @returns the parameters of the redirect back. */
  signIn(authorizationUrl: string): URLSearchParams {
    const { searchParams } = new URL(authorizationUrl);
    this.nonce = searchParams.get('nonce');
    return new URLSearchParams({ code: randomBytes(8).toString('hex'), state: searchParams.get('state') ?? '' });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Signs claims with the provider's key. */
  async sign(claims: Claims): Promise<string> {
    const { kid = '' } = this.jwk;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(this.keys.privateKey);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false;
    await text(request);
    const path = (request.url ?? '').replace(/\?.*/, '');
    const lie = this.lies.answers?.[path];
    if (lie) return void lie(response);
    const body = JSON.stringify(await this.usual(path));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  private async usual(path: string): Promise<unknown> {
    const { issuer } = this;
    const person = { sub: 'subject-1', email: 'ada@shop.example', email_verified: true };
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/userinfo`,
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
          ...this.lies.discovery,
        };
      case '/jwks':
        return { keys: [this.jwk] };
      case '/userinfo':
        return { ...person, ...this.lies.userinfo };
      default: {
        const now = Math.floor(Date.now() / 1_000);
        const times = { iat: now, exp: now + 300 };
        const claims = { iss: issuer, aud: CLIENT.id, ...times, nonce: this.nonce, ...person, ...this.lies.claims };
        const sign = this.lies.sign ?? ((signed) => this.sign(signed));
        return { access_token: 'access', token_type: 'bearer', id_token: await sign(claims, this) };
      }
    }
  }
}

const drawKeys = (): Promise<Keys> => generateKeyPair('RS256', { extractable: true });

const jwkOf = async (kid: string, { publicKey }: Keys): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  ...{ kid, alg: 'RS256', use: 'sig' },
});

/** An ID token that nothing signs. */
export const unsigned = (claims: Claims): string =>
  [{ alg: 'none' }, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.') + '.';

/** An ID token whose signature is a MAC under the public key of the provider, as if that were a shared secret. */
export const keyConfusion = (claims: Claims, { publicKey }: LyingProvider): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'a' }).sign(new TextEncoder().encode(publicKey));

export const fiveMegabytes = (response: ServerResponse): unknown => response.end(`"${'x'.repeat(5_000_000)}"`);

export const redirect = (response: ServerResponse): unknown =>
  response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();

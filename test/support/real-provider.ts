import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseSetCookie } from 'cookie';
import { CLIENT } from './lying-provider.js';

/** The identity provider `oidc-provider` on this machine. Every person signs in as Ada at once, and permits everything. */
export class RealProvider {
  email = 'ada@shop.example';

  private constructor(
    private readonly server: http.Server,
    readonly issuer: string,
  ) {}

  static async start(redirectUri: string): Promise<RealProvider> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The provider warns about the version of Node, and about what is suitable only for tests.
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { default: Provider } = await import('oidc-provider');
    const started = new RealProvider(server, issuer);
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, email: started.email, email_verified: true }),
      }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['of the test'] },
      ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    });
    warnings.mockRestore();
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
      void (async () => {
        const accountId = 'ada';
        const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
        grant.addOIDCScope('openid email');
        const consent = { grantId: await grant.save() };
        await provider.interactionFinished(request, response, { login: { accountId }, consent });
      })();
    });
    return started;
  }

  /** Does what a browser does. @returns the address that the provider sends it back to. */
  async signIn(authorizationUrl: string): Promise<URL> {
    const jar = new Map<string, string>();
    let url = new URL(authorizationUrl);
    while (url.origin === this.issuer) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const { name, value = '' } = parseSetCookie(line);
        jar.set(name, value);
      }
      url = new URL(response.headers.get('location') ?? 'about:blank', url);
    }
    return url;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

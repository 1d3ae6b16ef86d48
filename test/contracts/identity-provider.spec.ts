import { IdentityProvider } from '@app/application';
import { OidcIdentityProvider } from '../../libs/infrastructure/src/access/oidc-identity-provider.js';
import { CLIENT, LyingProvider } from '../support/lying-provider.js';
import { RealProvider } from '../support/real-provider.js';

const REDIRECT_URI = 'http://localhost:3000/dashboard/oidc/callback';

const DISCOVERY = '/.well-known/openid-configuration';

const at = (issuer: string): IdentityProvider =>
  new OidcIdentityProvider({ issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret });

describe('IdentityProvider', () => {
  describe('with a real provider', () => {
    let real: RealProvider;
    beforeAll(async () => (real = await RealProvider.start(REDIRECT_URI)));
    afterAll(() => real.stop());

    it('identifies who signed in there, once for a code', async () => {
      const provider = at(real.issuer);
      const { url, saved } = await provider.begin(REDIRECT_URI);
      const back = await real.signIn(url);

      const identity = await provider.finish(back.href, saved);

      expect(identity).toEqual({ issuer: real.issuer, subject: 'ada', email: 'ada@shop.example' });
      await expect(provider.finish(back.href, saved)).rejects.toMatchObject({ outcome: 'refused' });
    });

    it('asks for a code with S256, state and nonce, all new each time', async () => {
      const provider = at(real.issuer);
      const [one, other] = await Promise.all([provider.begin(REDIRECT_URI), provider.begin(REDIRECT_URI)]);

      const { searchParams } = new URL(one.url);
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: CLIENT.id,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'openid email',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
        state: expect.stringMatching(/^[\w-]{43}$/) as string,
        nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      });
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(new URL(other.url).searchParams.get(name)).not.toBe(searchParams.get(name));
      }
    });
  });

  it('is asked again after a failure, and after an hour', async () => {
    const lying = await LyingProvider.start();
    const provider = at(lying.issuer);
    const begin = () => provider.begin(REDIRECT_URI).then(() => 'begun', (error: { reason: string }) => error.reason);
    lying.lies = { answers: { [DISCOVERY]: (response) => response.writeHead(503).end() } };
    const whileDown = await begin();
    lying.lies = {};
    const afterwards = await begin();
    await lying.stop();
    const kept = await begin();
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + 3_600_000);
    const later = await begin();
    clock.mockRestore();

    expect([whileDown, afterwards, kept, later]).toEqual(['status_503', 'begun', 'begun', 'ECONNREFUSED']);
  });

  it('refuses the accounts of every company that uses Microsoft', async () => {
    const metadata = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(metadata)));
    const begun = at('https://login.microsoftonline.com/common/v2.0').begin(REDIRECT_URI);

    await expect(begun).rejects.toMatchObject({ outcome: 'unavailable', reason: 'other_issuer' });
    fetched.mockRestore();
  });
});

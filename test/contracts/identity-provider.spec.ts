import { IdentityProvider, type ProviderFailure } from '@app/application';
import { OidcIdentityProvider } from '../../libs/infrastructure/src/access/oidc-identity-provider.js';
import { CLIENT, fiveMegabytes, LyingProvider, redirect, type Lies } from '../support/lying-provider.js';
import { RealProvider } from '../support/real-provider.js';

const REDIRECT_URI = 'http://localhost:3000/dashboard/oidc/callback';

const DISCOVERY = '/.well-known/openid-configuration';

const at = (issuer: string): IdentityProvider =>
  new OidcIdentityProvider({ issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, trustsEmail: false });

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

  describe('with a provider that lies', () => {
    let lying: LyingProvider;
    beforeEach(async () => (lying = await LyingProvider.start()));
    afterEach(() => lying.stop());

    const begin = (provider = at(lying.issuer)) =>
      provider.begin(REDIRECT_URI).then(
        () => 'begun',
        ({ outcome, reason }: ProviderFailure) => `${outcome}: ${reason}`,
      );

    it.each<[string, Lies, string]>([
      [
        'names another issuer',
        { discovery: { issuer: 'https://evil.example' } },
        'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
      ],
      ['sends 5 MB', { answers: { [DISCOVERY]: fiveMegabytes } }, 'answer_too_long'],
      ['breaks off', { answers: { [DISCOVERY]: (response) => response.destroy() } }, 'UND_ERR_SOCKET'],
      ['redirects', { answers: { [DISCOVERY]: redirect } }, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
      ['is silent', { answers: { [DISCOVERY]: () => undefined } }, 'TimeoutError'],
    ])('sends nobody to one that %s', async (_what, lies, reason) => {
      lying.lies = lies;
      const from = performance.now();

      expect(await begin()).toBe(`unavailable: ${reason}`);
      expect(performance.now() - from).toBeLessThan(10_000);
    });

    it('identifies with a key that the provider has had since the last sign-in', async () => {
      const provider = at(lying.issuer);
      const signIn = async () => {
        const { url, saved } = await provider.begin(REDIRECT_URI);
        return provider.finish(`${REDIRECT_URI}?${lying.signIn(url).toString()}`, saved);
      };
      const before = await signIn();
      await lying.rotateKey();

      expect(await signIn()).toEqual(before);
    });

    it('asks it once for all who wait, again after a failure, and again after an hour', async () => {
      const provider = at(lying.issuer);
      let asked = 0;
      const down: Lies = { answers: { [DISCOVERY]: (response) => response.writeHead(500 + ++asked).end() } };
      lying.lies = down;
      const together = await Promise.all([begin(provider), begin(provider)]);
      const again = await begin(provider);
      lying.lies = {};
      const up = await begin(provider);
      lying.lies = down;
      const kept = await begin(provider);
      const now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
      const later = await begin(provider);
      clock.mockRestore();

      expect(together).toEqual(['unavailable: status_501', 'unavailable: status_501']);
      expect([again, up, kept, later]).toEqual([
        'unavailable: status_502',
        'begun',
        'begun',
        'unavailable: status_503',
      ]);
    });
  });
});

import type { Browser } from '../../support/browser.js';
import { violationIf, type Scene } from './scene.js';

const PERSON = { email: 'new@example.com', name: 'New', role: 'viewer' };

/** Tries sessions after a removal, a demotion and an hour, and requests that no page of ours sends. */
export async function sessions(scene: Scene): Promise<string[]> {
  return [...(await changes(scene)), ...(await smuggled(scene)), ...(await openAddresses(scene))];
}

/** Returns the same session at the other process. */
function elsewhere(scene: Scene, page: Browser): Browser {
  const local = scene.localBrowser();
  for (const [name, value] of page.cookies) local.cookies.set(name.replace('__Host-', ''), value);
  return local;
}

async function changes(scene: Scene): Promise<string[]> {
  const [owner, other] = [await scene.person(), await scene.person('manager')];
  const [owners, others] = [await scene.signedIn(owner.email), await scene.signedIn(other.email)];
  const both = [others, elsewhere(scene, others)];
  const scopes = async () => {
    const answers = await Promise.all(both.map((page) => page.read()));
    return answers.map(({ status, body }) => (status === 200 ? String(body.data?.['scope']) : String(status)));
  };
  const live = { 'x-dashboard': 'live' };
  const before = await scopes();
  await owners.ask('PATCH', `/v1/people/${other.id}`, { role: 'viewer' }, live);
  const demoted = await scopes();
  await owners.ask('DELETE', `/v1/people/${other.id}`, undefined, live);
  const removed = await scopes();
  await scene.database.query(
    "UPDATE api_keys SET created_at = created_at - interval '61 minutes' WHERE person_id = $1",
    [owner.id],
  );
  const stale = await owners.ask('POST', '/v1/people', PERSON, live);
  return [
    ...violationIf(!before.every((scope) => scope.includes('payments')), `a manager may ${before.join(' and ')}`),
    ...violationIf(!demoted.every((scope) => scope === 'read'), `after a demotion: ${demoted.join(' and ')}`),
    ...violationIf(!removed.every((scope) => scope === '401'), `after a removal: ${removed.join(' and ')}`),
    ...violationIf(stale.status !== 403, `a person is added an hour after the sign-in: ${stale.status}`),
  ];
}

async function smuggled(scene: Scene): Promise<string[]> {
  const { email } = await scene.person();
  const page = await scene.signedIn(email);
  const [secret = '', testSecret = ''] = ['live', 'test'].map((mode) => page.cookies.get(`__Host-store-${mode}`));
  const cookie = (value: string) => ({ cookie: `__Host-store-live=${value}` });
  const trials: Readonly<Record<string, Record<string, string>>> = {
    'without X-Dashboard': { ...cookie(secret) },
    'with X-Dashboard of both modes': { ...cookie(secret), 'x-dashboard': 'live, test' },
    'in a bearer header': { authorization: `Bearer ${secret}` },
    'in a bearer header with X-Dashboard': { authorization: `Bearer ${secret}`, 'x-dashboard': 'live' },
    'in two cookies of one name': {
      cookie: `__Host-store-live=${secret}; __Host-store-live=${testSecret}`,
      'x-dashboard': 'live',
    },
    'in the cookie of the other mode': { ...cookie(testSecret), 'x-dashboard': 'live' },
    'in a cookie without its prefix': { cookie: `store-live=${secret}`, 'x-dashboard': 'live' },
    'with a key instead': { ...cookie(scene.store.key), 'x-dashboard': 'live' },
    'from another site': { ...cookie(secret), 'x-dashboard': 'live', origin: 'https://evil.example' },
    'over plain http': { ...cookie(secret), 'x-dashboard': 'live', 'x-forwarded-proto': 'http' },
  };
  const violations: string[] = violationIf((await page.read()).status !== 200, 'a session is refused');
  for (const [what, headers] of Object.entries(trials)) {
    const { status } = await scene.browser(headers).ask('GET', '/v1/key');
    if (status !== 401 && status !== 403) violations.push(`a session ${what}: ${status}`);
  }
  const foreign: Record<string, string>[] = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }];
  for (const headers of foreign) {
    const { status } = await scene.browser(headers).enter({ link: await scene.link(email) });
    if (status !== 403) violations.push(`a page of another site signs in: ${status}`);
  }
  return violations;
}

/** Tries plain http over a network, even with forged headers of a proxy. */
async function openAddresses(scene: Scene): Promise<string[]> {
  const link = await scene.link((await scene.person()).email);
  const plain = { host: 'shop.example', origin: 'http://shop.example' };
  const answers = [
    await scene.browser({ 'x-forwarded-proto': 'http', origin: 'http://shop.example' }).enter({ link }),
    await scene.localBrowser(plain).enter({ link }),
    await scene.localBrowser({ ...plain, 'x-forwarded-proto': 'https', forwarded: 'proto=https' }).enter({ link }),
    await scene.localBrowser({ ...plain, 'x-forwarded-host': 'localhost' }).enter({ link }),
  ];
  return answers.flatMap(({ status, headers, setCookies }, n) =>
    violationIf(
      status !== 422 || headers['x-error-code'] !== 'address_not_private' || setCookies.length > 0,
      `plain http over a network, case ${n}: ${status} with ${setCookies.length} cookies`,
    ),
  );
}

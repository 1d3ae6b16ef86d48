import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../../builders/store-fixture.js';
import { isRefused, violationIf, type Scene } from './scene.js';

const REPLAYS = { full: 20, quick: 2 };
const AT_ONCE = 12;

/** Tries codes and tokens in other browsers, planted cookies, replays, and mail scanners. */
export async function browsers(scene: Scene): Promise<string[]> {
  return [
    ...(await foreignBrowser(scene)),
    ...(await plantedCookies(scene)),
    ...(await replays(scene)),
    ...(await severalStores(scene)),
    ...(await endedCode(scene)),
  ];
}

async function foreignBrowser(scene: Scene): Promise<string[]> {
  const person = await scene.person();
  const { email } = person;
  const [page, other] = [scene.browser(), scene.browser()];
  const invitation = linksIn(await scene.invitation(person));
  const code = await scene.mailedCode(page, email);
  const mail = scene.mailsTo(email).at(-1) ?? '';
  const urls = linksIn(mail);
  const scanned = await Promise.all([...invitation, ...urls].map((url) => scene.scan(url)));
  await other.requestCode(`${uuidv7()}@example.com`);
  const foreign = [await other.enter({ code }), await scene.browser().enter({ code })];
  const own = await page.enter({ code });
  const token = await scene.token(email, 'the nonce of the other browser');
  const entry = await other.enter({ link: token });
  return [
    ...violationIf(urls.length > 0, `the mail of a code has ${urls.length} links`),
    ...violationIf(scanned.length === 0, 'an invitation has no link'),
    ...violationIf(
      scanned.some(({ setCookies }) => setCookies.length > 0),
      'a scanner of an invitation got a cookie',
    ),
    ...violationIf(!foreign.every(isRefused), 'a code signed in another browser'),
    ...violationIf(own.status !== 200, `a code after a scanner and other browsers: ${own.status}`),
    ...violationIf(!isRefused(entry), 'an entry of the identity provider signed in another browser'),
  ];
}

const linksIn = (mail: string): readonly string[] => mail.match(/https?:\/\/\S+/g) ?? [];

async function plantedCookies(scene: Scene): Promise<string[]> {
  const [victim, attacker] = [await scene.person(), await scene.person('viewer')];
  const attackers = await scene.signedIn(attacker.email);
  await attackers.requestCode(`${uuidv7()}@example.com`);
  const planted = new Map(attackers.cookies);
  const page = scene.browser();
  for (const [name, value] of planted) page.cookies.set(name, value);
  const code = await scene.mailedCode(page, victim.email);
  const stolen = await attackers.enter({ code });
  const entered = await page.enter({ code });
  const kept = [...planted].filter(([name, value]) => page.cookies.get(name) === value);
  const old = await attackers.read();
  return [
    ...violationIf(!isRefused(stolen), 'the browser of a planted cookie used the code of another'),
    ...violationIf(entered.status !== 200, `a browser with planted cookies: ${entered.status}`),
    ...violationIf(kept.length > 0, `planted cookies stay after the sign-in: ${kept.length}`),
    ...violationIf(old.status !== 401, `the planted session works after the sign-in: ${old.status}`),
  ];
}

async function replays(scene: Scene): Promise<string[]> {
  const violations: string[] = [];
  for (let round = 0; round < REPLAYS[scene.context.form]; round++) {
    const { email } = await scene.person();
    const link = await scene.link(email);
    const page = scene.browser();
    const code = await scene.mailedCode(page, email);
    for (const proof of [{ link }, { code }]) {
      const others = () => ('link' in proof ? [scene.browser(), scene.localBrowser()] : [page, page]);
      const turns = Array.from({ length: AT_ONCE / 2 }, others).flat();
      const answers = await Promise.all(turns.map((each) => each.enter(proof)));
      const entered = answers.filter(({ status }) => status === 200).length;
      const [what] = Object.keys(proof);
      // For a code, only the first attempts are compared.
      if (entered !== 1) violations.push(`${entered} of ${AT_ONCE} requests with one ${what} signed in`);
      if (!isRefused(await page.enter(proof))) violations.push(`a used ${what} signed in`);
    }
  }
  return violations;
}

async function severalStores(scene: Scene): Promise<string[]> {
  const [third, { email }] = [await StoreFixture.create(scene.database), await scene.person()];
  const other = await StoreFixture.create(scene.database);
  await other.row('people', { id: uuidv7(), email, name: 'Ada', role: 'viewer', invite_due: false });
  const page = scene.browser();
  const code = await scene.mailedCode(page, email);
  const choice = await page.enter({ code });
  const foreign = await page.enter({ code }, third.subdomain);
  const entered = await page.enter({ code }, other.subdomain);
  const stores = choice.body.data?.['stores'] as { subdomain: string }[] | undefined;
  return [
    ...violationIf(stores?.length !== 2 || choice.setCookies.length > 0, 'a person of two stores does not choose'),
    ...violationIf(!isRefused(foreign), 'a person signed in to a store without being one of its people'),
    ...violationIf(entered.status !== 200, `the chosen store: ${entered.status}`),
  ];
}

async function endedCode(scene: Scene): Promise<string[]> {
  const { email } = await scene.person();
  // This page is from the process whose clock is an hour late.
  const page = scene.localBrowser();
  await scene.database.query("UPDATE sign_ins SET created_at = created_at - interval '1 hour'");
  const code = await scene.mailedCode(page, email);
  await scene.database.query('UPDATE sign_ins SET expires_at = now() WHERE email = $1', [email]);
  return violationIf(!isRefused(await page.enter({ code })), 'a code signed in after its end');
}

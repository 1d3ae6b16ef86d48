import { v7 as uuidv7 } from 'uuid';
import type { BrowserAnswer } from '../../support/browser.js';
import { isRefused, network, violationIf, type Scene } from './scene.js';

const AT_ONCE = 50;

/** Makes more concurrent attempts than a code has, and requests more codes than an address and a network get. */
export async function guessing(scene: Scene): Promise<string[]> {
  const { email } = await scene.person();
  const page = scene.browser();
  const code = await scene.mailedCode(page, email);
  const wrong = `${code.startsWith('0') ? '1' : '0'}${code.slice(1)}`;
  const guesses = await Promise.all(Array.from({ length: AT_ONCE }, () => page.enter({ code: wrong })));
  const right = await page.enter({ code });
  const [row] = await scene.database.query<{ attempts: number }>('SELECT attempts FROM sign_ins WHERE email = $1', [
    email,
  ]);
  return [
    ...violationIf(!guesses.every((guess) => isRefused(guess) || guess.status === 503), 'a wrong code was not refused'),
    ...violationIf(!isRefused(right), `the right code after ${AT_ONCE} wrong ones: ${right.status}`),
    ...violationIf(row?.attempts !== 5, `${row?.attempts} attempts were compared`),
    ...(await limits(scene)),
  ];
}

async function limits(scene: Scene): Promise<string[]> {
  const accepted = async (count: number, ask: () => Promise<BrowserAnswer>) => {
    const answers = await Promise.all(Array.from({ length: count }, ask));
    return answers.filter(({ status }) => status === 200).length;
  };
  const email = `${uuidv7()}@example.com`;
  const stranger = () => `${uuidv7()}@example.com`;
  const [one, ofAddress] = [network(), await accepted(10, () => scene.browser().requestCode(email))];
  const [made] = await scene.database.query<{ codes: number }>(
    'SELECT count(*)::int AS codes FROM sign_ins WHERE email = $1',
    [email],
  );
  const ofNetwork = await accepted(26, () => scene.browser({ 'x-forwarded-for': one }).requestCode(stranger()));
  const forged = () => ({ 'x-forwarded-for': `${network()}, ${one}` });
  const behind = await accepted(5, () => scene.browser(forged()).requestCode(stranger()));
  const local = () => scene.localBrowser({ 'x-forwarded-for': network() }).requestCode(stranger());
  const [direct] = [await accepted(26, local)];
  return [
    ...violationIf(ofAddress !== 3, `${ofAddress} requests for an address were accepted within an hour`),
    ...violationIf(made?.codes !== 3, `an address got ${made?.codes} codes within an hour`),
    ...violationIf(ofNetwork !== 20, `a network got ${ofNetwork} codes within an hour`),
    ...violationIf(behind > 0, 'a forged entry of X-Forwarded-For is another network'),
    ...violationIf(direct > 20, `forged X-Forwarded-For without TRUST_PROXY: ${direct} codes within an hour`),
  ];
}

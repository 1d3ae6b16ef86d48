import { codeIn } from '../support/browser.js';
import { browsers } from './sign-in/browsers.js';
import { guessing } from './sign-in/guessing.js';
import { Scene, violationIf } from './sign-in/scene.js';
import { sessions } from './sign-in/sessions.js';
import { strangers } from './sign-in/strangers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';

const DOWN_MS = { full: 30_000, quick: 1_000 };

export const signIn: Proof = { name: 'sign-in', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const scene = await Scene.open(context);
  try {
    const violations = [
      ...(await guessing(scene)),
      ...(await strangers(scene)),
      ...(await browsers(scene)),
      ...(await sessions(scene)),
      ...(await mailServerDown(scene)),
      ...leaks(scene),
    ];
    return { figures: `${scene.asked} requests, ${scene.sink.mails.length} mails`, violations };
  } finally {
    await scene.close();
  }
}

async function mailServerDown(scene: Scene): Promise<string[]> {
  const { email } = await scene.person();
  const page = scene.browser();
  scene.sink.behaviour = { kind: 'refuse', at: 'message', code: 451 };
  const back = setTimeout(() => (scene.sink.behaviour = { kind: 'accept' }), DOWN_MS[scene.context.form]);
  const code = await scene.mailedCode(page, email).finally(() => clearTimeout(back));
  const { status } = await page.enter({ code });
  return violationIf(status !== 200, `a code that came after the mail server was down: ${status}`);
}

/** The codes of all mails, all tokens and cookies, and all addresses. */
function leaks(scene: Scene): string[] {
  const { logs } = scene;
  const codes = scene.sink.mails.map(({ raw }) => codeIn(raw)).filter((code) => code !== '');
  const secrets = [...scene.secrets].filter((secret) => secret !== '' && logs.includes(secret));
  const told = codes.filter((code) => logs.includes(code) || logs.includes(code.replace('-', '')));
  return [
    ...violationIf(codes.length === 0, 'no code was mailed'),
    ...violationIf(told.length > 0, `${told.length} codes are in a log`),
    ...violationIf(scene.secrets.size < 10, 'no tokens and cookies were kept'),
    ...violationIf(secrets.length > 0, `${secrets.length} tokens, nonces or sessions are in a log`),
    ...violationIf(/svc_sess_\w|[\w.+-]+@[\w-]+\.\w/.test(logs), 'a session or an address is in a log'),
  ];
}

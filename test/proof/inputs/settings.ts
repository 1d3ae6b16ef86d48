import { isDeepStrictEqual } from 'node:util';
import { publicSettings } from '@app/domain';
import fc from 'fast-check';
import { explore, type Scene } from './scene.js';
import { AWKWARD } from './texts.js';

const SECRET_NAMES = [
  'secret',
  'apiKey',
  'API-KEY',
  'pass\u00adword',
  'x.token',
  'ＳＥＣＲＥＴ',
  'smtpPass',
  'private_key',
];
const SECRET = 'planted7f3a';
/** The time limit for a text of this size that could make the patterns backtrack. */
const LONG = 100_000;
const PATIENCE_MS = 200;
const STUMBLES = [
  'a',
  ' ',
  '//',
  '//a:',
  'eyJ',
  'Basic ',
  'Bearer ',
  '"a',
  '"\\',
  '-----BEGIN ',
  'key-0',
  'sk-',
  '$2',
  'e\u0301',
];

/** The sanitizer of a store's settings hides secrets at any depth and changes nothing that it shows. */
export async function exploreSettings(scene: Scene): Promise<void> {
  await explore(scene, 'settings', anySettings(), faultOfSettings);
  const secrets = fc.tuple(anySettings(), fc.array(fc.constantFrom('a', 'b', '0'), { maxLength: 5 }));
  const named = fc.tuple(secrets, fc.constantFrom(...SECRET_NAMES), fc.boolean());
  await explore(scene, 'a secret in settings', named, ([[settings, path], name, isList]) => {
    const hidden: unknown = { [name]: isList ? [SECRET, { a: SECRET }] : SECRET };
    const planted = path.reduce((inner, step) => ({ ...(settings as object), [step]: inner }), hidden);
    return JSON.stringify(publicSettings(planted)).includes(SECRET) ? 'is shown' : null;
  });
  const plain = fc.dictionary(
    fc.constantFrom('color', 'title', 'menu', 'width'),
    fc.constantFrom(...AWKWARD, 1, true, null),
  );
  await explore(scene, 'harmless settings', plain, (settings) =>
    isDeepStrictEqual({ ...settings }, publicSettings(settings)) ? null : 'are changed',
  );
  if (scene.context.form === 'full') scene.violations.push(...STUMBLES.flatMap(slowTexts));
}

/** Any value that an operator's JSON may have. */
function anySettings(): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.string(), fc.constantFrom('a', 'name', 'value', '__proto__', 'constructor', ...SECRET_NAMES));
  return fc.object({
    key,
    maxDepth: 5,
    values: [fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null)],
  });
}

function faultOfSettings(settings: unknown): string | null {
  const before = structuredClone(settings);
  const shown = publicSettings(settings);
  if (!isDeepStrictEqual(before, structuredClone(settings))) return 'are changed in place';
  if (Object.getPrototypeOf(shown) !== Object.prototype || 'polluted' in {}) return 'reach a prototype';
  if (!isDeepStrictEqual(publicSettings(shown), shown)) return 'are shown otherwise the second time';
  return isPartOf(shown, settings) ? null : `are shown as ${JSON.stringify(shown)}`;
}

/** Whether every shown value has the same place in the original, or in lists the same order. */
function isPartOf(shown: unknown, original: unknown): boolean {
  if (Array.isArray(shown) && Array.isArray(original)) {
    let next = 0;
    return shown.every((element) => {
      while (next < original.length && !isPartOf(element, original[next])) next++;
      return next++ < original.length;
    });
  }
  if (typeof shown !== 'object' || shown === null) return Object.is(shown, original);
  if (typeof original !== 'object' || original === null) return false;
  return Object.entries(shown).every(
    ([name, value]) => Object.hasOwn(original, name) && isPartOf(value, (original as Record<string, unknown>)[name]),
  );
}

function slowTexts(unit: string): string[] {
  const start = performance.now();
  publicSettings({ text: unit.repeat(LONG / unit.length) });
  const took = Math.round(performance.now() - start);
  return took > PATIENCE_MS ? [`settings of ${LONG} characters ${JSON.stringify(unit)} take ${took} ms`] : [];
}

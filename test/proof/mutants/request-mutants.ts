import { mutant, type Mutant } from './mutant.js';

const FEED_PLACES = 'apps/api/src/http/plugins/feed-places.ts';
const WAITS = 'test/e2e/changes-waits.spec.ts';

/** Defects in what a request may cost, and in the shutdown. */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  mutant('the default maxParamLength', 'inputs', /an id: answered 4\d\d|long-.* answered 4\d\d/, [
    'apps/api/src/http/server-options.ts',
    'routerOptions: { maxParamLength: 64 * KB },',
    '',
  ]),
  mutant('waits of one store without a limit', WAITS, /● .*has places of its own/, [
    FEED_PLACES,
    'ofStore >= WAITS_OF_A_STORE || !limits',
    '!limits',
  ]),
  mutant(
    'a place for a request whose connection is closed',
    WAITS,
    /● .*keeps no place when its connection breaks during the look-up of its key/,
    [FEED_PLACES, 'if (raw.destroyed) throw new ClientGone();', ''],
  ),
  mutant('answers 503 on closing', 'rolling', /a request on a slow line was answered 503/, [
    'apps/api/src/http/server-options.ts',
    'return503OnClosing: false,',
    'return503OnClosing: true,',
  ]),
];

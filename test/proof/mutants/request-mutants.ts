import { mutant, type Mutant } from './mutant.js';

const WAITS = 'test/e2e/feed.spec.ts';

/** Defects in what a request may cost, and in the shutdown. */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  mutant('the default maxParamLength', 'inputs', /an id: answered 4\d\d|long-.* answered 4\d\d/, ['long-parameters']),
  mutant('waits of one store without a limit', WAITS, /● .*has places of its own/, [
    'waits-of-store',
    'if (!limits.waits.tryEnter()) {',
  ]),
  mutant(
    'a place for a request whose connection is closed',
    WAITS,
    /● .*keeps no place when its connection breaks during the look-up of its key/,
    ['place-of-closed'],
  ),
  mutant('answers 503 on closing', 'rolling', /a request on a slow line was answered 503/, [
    'requests-on-closing',
    'return503OnClosing: true,',
  ]),
];

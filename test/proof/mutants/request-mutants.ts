import type { Mutant } from './mutant.js';

const CREATE_SERVER = 'apps/api/src/http/server/create-server.ts';
const HELD_REQUESTS = 'apps/api/src/http/plugins/held-requests.ts';
const HELD = 'test/e2e/changes-held.spec.ts';
const SERVE_ONE_AT_A_TIME = '  serve = serveOneAtATime(serve, metrics);\n';

/** Defects in what a request may cost, and in the shutdown. */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    name: 'the default maxParamLength',
    edits: [
      {
        file: 'apps/api/src/http/server-options.ts',
        find: `    routerOptions: { maxParamLength: 64 * KB },\n`,
        replace: '',
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /an id: answered 4\d\d|long-.* answered 4\d\d/,
  },
  {
    name: 'requests of a connection served concurrently',
    edits: [{ file: CREATE_SERVER, find: SERVE_ONE_AT_A_TIME, replace: '' }],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /heapBytes grew from/,
  },
  {
    name: 'files streamed to concurrent requests of a connection',
    edits: [
      { file: CREATE_SERVER, find: SERVE_ONE_AT_A_TIME, replace: '' },
      {
        file: 'apps/api/src/http/serve-from-memory.ts',
        find: ': reply.type(type).send(content);',
        replace: `: reply.type(type).send(
          content.length < 1_000_000 ? content : createReadStream('node_modules/swagger-ui-dist/swagger-ui-bundle.js'),
        );`,
      },
      {
        file: 'apps/api/src/http/serve-from-memory.ts',
        find: `import { createHash } from 'node:crypto';`,
        replace: `import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';`,
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /files grew from/,
  },
  {
    name: 'streams of one store without a limit',
    edits: [
      {
        file: HELD_REQUESTS,
        find: 'ofStore >= OF_A_STORE[kind] || !limits',
        replace: '!limits',
      },
    ],
    // The proofs that compare the memory beside unread streams have no quick form.
    proof: HELD,
    args: [],
    noticedAs: /● .*has few places for each store and in all/,
  },
  {
    name: 'a place for a request whose connection is closed',
    edits: [
      {
        file: HELD_REQUESTS,
        find: '      if (raw.destroyed) throw new ClientGone();\n',
        replace: '',
      },
    ],
    proof: HELD,
    args: [],
    noticedAs: /● .*keeps no place when its connection breaks during the look-up of its key/,
  },
  {
    name: 'large bodies parsed without a limit',
    edits: [
      {
        file: 'apps/api/src/http/plugins/json-bodies.ts',
        find: 'const excess = excessOf(body, LIMITS);',
        replace: 'const excess = excessOf(body, { ...LIMITS, values: Infinity });',
      },
      {
        file: 'apps/api/src/http/plugins/json-bodies.ts',
        find: 'if (body.length <= LARGE_BODY) return read(request, body);',
        replace: 'if (body.length <= 8 * LARGE_BODY) return read(request, body);',
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /p99 of others is \d+ ms beside 64 clients/,
  },
  {
    name: 'answers 503 on closing',
    edits: [
      {
        file: 'apps/api/src/http/server-options.ts',
        find: 'return503OnClosing: false,',
        replace: 'return503OnClosing: true,',
      },
    ],
    proof: 'rolling',
    args: ['--quick', '--seed', '1'],
    noticedAs: /a request on a slow line was answered 503/,
  },
];

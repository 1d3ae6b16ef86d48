import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CreateApiKey } from '@app/application';
import { demoStore } from '@app/demo-store';
import { withBundleImporter } from '@app/import';
import { DataCipher } from '@app/infrastructure';
import ts from 'typescript';
import type { CodeSample } from '../../apps/api/src/openapi/code-samples.js';
import { storeClient } from '../../examples/typescript-client/store.js';
import { committedDocument } from '../support/documented-answers.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

jest.setTimeout(60_000);

const CLIENT = path.resolve(__dirname, '../../examples/typescript-client');

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly CodeSample[];
}

const operations = Object.values(committedDocument().paths).flatMap((item) =>
  Object.values(item),
) as never as Operation[];
const sampleOf = (operation: Operation, label: string) =>
  operation['x-codeSamples'].find((sample) => sample.label === label)?.source ?? '';

/** The arguments that a shell passes to curl. */
async function argumentsOf(command: string, key: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { env: { KEY: key } });
  return stdout.split('\0').slice(0, -1);
}

/** Sends the request of a curl command. */
function send(api: RunningApi, [url = '', ...options]: readonly string[]) {
  const valuesOf = (name: string) => options.filter((_, index) => options[index - 1] === name);
  const headers = Object.fromEntries(valuesOf('-H').map((line) => line.split(': ') as [string, string]));
  const [payload] = valuesOf('-d');
  const { pathname } = new URL(url);
  return api.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url: pathname,
    headers,
    ...(payload && { payload }),
  });
}

describe('the code samples of the OpenAPI document', () => {
  let api: RunningApi;
  let key: string;
  let address: string;
  beforeAll(async () => {
    // Without the fixture's store, ids count from 1 as in a first start.
    api = await startApi();
    await withBundleImporter(api.database.url, api.app.get(DataCipher, { strict: false }), (importer) =>
      importer.importObjects(demoStore({ now: new Date() })),
    );
    const command = { store: 'larkmoor', mode: 'test', scope: 'full', name: '', expiresAt: null } as const;
    key = (await api.app.get(CreateApiKey, { strict: false }).execute(command)).key;
    address = `http://127.0.0.1:${await listen(api.app)}`;
  });
  afterAll(() => api.stop());

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'succeed on the demo store as a curl command: %s',
    async (_id, operation) => {
      const response = await send(api, await argumentsOf(sampleOf(operation, 'curl'), key));

      expect([200, 201]).toContain(response.statusCode);
    },
  );

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'succeed on the demo store as a call of the typed client: %s',
    async (_id, operation) => {
      const { outputText } = ts.transpileModule(sampleOf(operation, 'Typed client'), {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      });
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the sample is our own text
      const run = new Function('client', `return (async () => { ${outputText}; return { data, error }; })()`) as (
        client: unknown,
      ) => Promise<{ data?: { success: boolean }; error?: unknown }>;

      expect(await run(storeClient(address, key))).toMatchObject({ data: { success: true } });
    },
  );

  it('compile with the types of the client', () => {
    const file = path.join(CLIENT, 'samples.ts');
    const samples = operations.map((operation) => `{ ${sampleOf(operation, 'Typed client')} void [data, error]; }`);
    const text = `import { storeClient } from './store.js';\nconst client = storeClient('', '');\n${samples.join('\n')}`;
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    };
    const host = ts.createCompilerHost(options);
    const own = { ...host };
    host.fileExists = (name) => name === file || own.fileExists(name);
    host.getSourceFile = (name, ...more) =>
      name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : own.getSourceFile(name, ...more);

    const faults = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));

    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    expect(samples).toHaveLength(operations.length);
  });
});

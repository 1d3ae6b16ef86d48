import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { defineConfig } from 'vitest/config';
import LongestFirst from './tools/longest-first.mjs';

// Vite's own compiler emits no metadata of decorators, which Nest needs to find the constructor parameters.
const swc = {
  name: 'swc',
  enforce: 'pre',
  transform(code, id) {
    const [filename] = id.split('?');
    if (!filename.endsWith('.ts') || filename.includes('/node_modules/')) return undefined;
    return transform(code, {
      filename,
      swcrc: false,
      configFile: false,
      sourceMaps: true,
      module: { type: 'es6' },
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        target: 'es2022',
        keepClassNames: true,
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
    });
  },
};

const source = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [swc],
  oxc: false,
  resolve: {
    alias: [
      { find: /^@app\/([^/]+)$/, replacement: source('libs/$1/src/index.ts') },
      { find: /^@store-commerce\/([^/]+)$/, replacement: source('packages/$1/src/index.ts') },
      { find: /^store-commerce\/(api|worker)$/, replacement: source('apps/$1/src/public.ts') },
      { find: /^store-commerce\/([^/]+)$/, replacement: source('libs/$1/src/public.ts') },
    ],
  },
  test: {
    reporters: ['default', './tools/summary-reporter.mjs'],
    // There is one worker more than cores: many tests wait for a time limit of the service, or for a process that ends.
    maxWorkers: availableParallelism() + 1,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // The files of a worker share the modules, because loading them would take a third of the time.
    isolate: false,
    globals: true,
    clearMocks: true,
    // Titles and messages show whole values.
    chaiConfig: { truncateThreshold: 0 },
    // A busy machine may take three times as long as a quiet one. A test that hangs must still fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The teardown reads the log of all statements.
    teardownTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            '{apps,libs,packages,examples}/**/*.spec.ts',
            'test/{architecture,dependencies,documents}.spec.ts',
            'test/unit/**/*.spec.ts',
          ],
          setupFiles: ['test/support/each-file.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['test/{contracts,e2e,smoke,proof}/**/*.spec.ts'],
          globalSetup: ['test/support/global-setup.mjs', 'test/support/global-teardown.mjs'],
          setupFiles: ['test/support/each-file.ts', 'test/support/each-test.ts'],
        },
      },
    ],
  },
});

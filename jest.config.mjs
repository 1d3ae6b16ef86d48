import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// Nest 12 and a few of its dependencies are ESM-only. Jest runs the tests as CommonJS (no experimental flag), so
// exactly those packages are transformed too. The list is read from the install, never maintained by hand.
const lock = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url), 'utf8'));
const esmOnly = new Set();
for (const path of Object.keys(lock.packages)) {
  const manifest = new URL(`${path}/package.json`, import.meta.url);
  if (!path.startsWith('node_modules/') || !existsSync(manifest)) continue;
  if (JSON.parse(readFileSync(manifest, 'utf8')).type === 'module') esmOnly.add(path.split('node_modules/').pop());
}
const esmPattern = [...esmOnly].map((name) => name.replace(/[.+]/g, '\\$&')).join('|');

const swc = (parser) => [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: {
      parser,
      target: 'es2022',
      keepClassNames: true,
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  },
];

const common = {
  testEnvironment: 'node',
  moduleNameMapper: {
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@store-commerce/([^/]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^store-commerce/(api|worker)$': '<rootDir>/apps/$1/src/index.ts',
    '^store-commerce/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  resolver: '<rootDir>/tools/jest-resolver.cjs',
  transform: {
    '\\.ts$': swc({ syntax: 'typescript', decorators: true }),
    '\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${esmPattern})/)`],
  clearMocks: true,
};

export default {
  reporters: ['default', '<rootDir>/tools/jest-summary.cjs'],
  // One more than cores: many tests wait for a time limit of the service, or for a process that ends.
  maxWorkers: availableParallelism() + 1,
  // A busy machine may take three times as long as a quiet one. A test that hangs must still fail.
  testTimeout: 120_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{apps,libs,packages,examples}/**/*.spec.ts',
        '<rootDir>/test/{architecture,dependencies,documents}.spec.ts',
        '<rootDir>/test/unit/**/*.spec.ts',
      ],
    },
    {
      ...common,
      displayName: 'database',
      testMatch: ['<rootDir>/test/{contracts,e2e,smoke,proof}/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
      setupFilesAfterEnv: ['<rootDir>/test/support/each-test.ts'],
    },
  ],
};

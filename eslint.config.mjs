import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist', 'coverage', 'node_modules', '**/*.mjs', '**/*.cjs'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  // A single program covers the whole project, because the project service updates its own for every file, which takes twice
  // the time.
  { languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['describe', 'it'], package: 'node:test' }] },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts', 'packages/**/*.ts'],
    // These files mean a moment of the calendar: a key's expiry and last use, the start of a span, the date of a mail,
    // the time of a webhook.
    ignores: [
      'apps/api/src/access/api-key.guard.ts',
      'apps/cli/src/confirm.ts',
      'apps/cli/src/option-values.ts',
      'libs/infrastructure/src/platform/spans.ts',
      'packages/client/**',
      '**/*.spec.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'the calendar jumps: a duration is measured by performance.now()' },
      ],
    },
  },
  {
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: 'apps/dashboard/tsconfig.json' } },
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // The browser ignores the value of an event handler.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    files: ['apps/documentation/**/*.js'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      parserOptions: { project: null },
      globals: Object.fromEntries(
        ['crypto', 'document', 'matchMedia', 'MutationObserver', 'SwaggerUIBundle', 'URL', 'window'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['test/e2e/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.name='createApp'] > NewExpression[callee.name='Config']",
          message: "testConfig keeps the files of a test out of the developer's .data",
        },
      ],
    },
  },
);

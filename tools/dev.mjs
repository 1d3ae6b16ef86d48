import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// npm run dev: builds and restarts the API when a source file is saved. It builds only the changed libraries and
// applications. Ctrl-C ends both.

/** Editors save a file in several steps. */
const SETTLED_MS = 50;

const changed = new Set();
let api = null;
let work = Promise.resolve();

function nestBuild(projects) {
  const builds = projects.map(async (project) => {
    const child = spawn('nest', ['build', project], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    return code === 0;
  });
  return Promise.all(builds).then((results) => results.every(Boolean));
}

async function start() {
  api = spawn(process.execPath, ['--enable-source-maps', 'dist/apps/api/src/main.js'], { stdio: 'inherit' });
}

async function stop() {
  if (api === null || api.exitCode !== null || api.signalCode !== null) return;
  const ended = once(api, 'exit');
  api.kill('SIGTERM');
  await ended;
}

async function rebuild() {
  await sleep(SETTLED_MS);
  const projects = [...changed];
  changed.clear();
  if (projects.length === 0) return;
  // The old process stops during the build. A failed build prints its errors and starts no process.
  const [built] = await Promise.all([nestBuild(projects), stop()]);
  if (built) await start();
}

for (const root of ['apps', 'libs']) {
  watch(root, { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.spec.ts')) return;
    changed.add(file.split(path.sep)[0]);
    work = work.then(rebuild);
  });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void stop().then(() => process.exit(0)));
}
await start();

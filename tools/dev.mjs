import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';

// npm run dev: builds and restarts the API when a source file is saved. It builds only the changed libraries and
// applications. SIGINT (Ctrl-C), SIGTERM and SIGHUP end both.

/** Editors save a file in several steps. */
const SETTLED_MS = 50;

const changed = new Set();
let api = null;
let ending = false;
let work = Promise.resolve();

function nestBuild(projects) {
  const builds = projects.map(async (project) => {
    const child = spawn('nest', ['build', project], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    return code === 0;
  });
  return Promise.all(builds).then((results) => results.every(Boolean));
}

function start() {
  if (ending) return;
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
  if (built) start();
}

// Not fs.watch: on Node 20 its recursive form stops reporting a file that was replaced by a rename, as most editors save.
watch(['apps', 'libs'], { ignoreInitial: true }).on('all', (_event, file) => {
  if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) return;
  changed.add(file.split(path.sep)[1]);
  work = work.then(rebuild);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ending = true;
    void stop().then(() => process.exit(0));
  });
}
start();

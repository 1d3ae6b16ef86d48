import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';

// This program is `npm run dev`: it builds and restarts the API when a source file is saved. It builds only the changed
// libraries and applications, and no bundle. The next process loads the packages while the current one runs: a restart
// loads only the service's own modules. SIGINT (Ctrl-C), SIGTERM and SIGHUP end everything.

/** Editors save a file in several steps, so the build waits this long. */
const SETTLED_MS = 50;
/** The next process waits this long, so that it takes no CPU from a start. */
const STARTED_MS = 2_000;
const PROCESS = path.join(import.meta.dirname, 'dev-process.mjs');

const changed = new Set();
let api = null;
/** The process of the next start. */
let next = null;
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

/** A process that runs the API when it receives a message. */
function prepare() {
  return spawn(process.execPath, ['--enable-source-maps', PROCESS], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

function start() {
  if (ending) return;
  api = next ?? prepare();
  next = null;
  api.send('start');
  setTimeout(() => (next ??= ending ? null : prepare()), STARTED_MS).unref();
}

async function stop(child) {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // Only the embedded database has to be stopped. With another one, an orderly end waits 5 s for load balancers.
  child.kill(process.env.DATABASE_URL ? 'SIGKILL' : 'SIGTERM');
  await ended;
}

async function rebuild() {
  await sleep(SETTLED_MS);
  const projects = [...changed];
  changed.clear();
  if (projects.length === 0) return;
  // The old process stops during the build. A failed build prints its errors and starts no process.
  const [built] = await Promise.all([nestBuild(projects), stop(api)]);
  if (built) start();
}

// `fs.watch` is avoided: on Node 20, its recursive form stops reporting a file that was replaced by a rename, as most
// editors save.
watch(['apps', 'libs'], { ignoreInitial: true }).on('all', (_event, file) => {
  if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) return;
  changed.add(file.split(path.sep)[1]);
  work = work.then(rebuild);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ending = true;
    void Promise.all([stop(api), stop(next)]).then(() => process.exit(0));
  });
}
start();

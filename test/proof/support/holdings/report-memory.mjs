import { renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

// Preloaded into the processes of a proof (`node --import`), so that the service needs no such hook. At SIGUSR2 it
// collects garbage and writes a report of the memory that /proc does not show.
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');
const file = path.join(tmpdir(), `store-commerce-memory-${process.pid}.json`);

process.on('SIGUSR2', () => {
  collectGarbage();
  // The second collection frees the objects that the first one finalizes.
  setImmediate(() => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    const timers = process.getActiveResourcesInfo().filter((type) => type === 'Timeout' || type === 'Immediate').length;
    writeFileSync(`${file}.new`, JSON.stringify({ heapBytes: heapUsed + external, timers }));
    renameSync(`${file}.new`, file);
  });
});

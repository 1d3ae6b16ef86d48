import { inspect } from 'node:util';
import { measure } from './bench.js';
import { printed } from './report/print.js';
import { RESULTS_FILE, writeResults } from './report/results.js';
import { Cleanup } from './support/cleanup.js';
import { readOptions, USAGE, type Options } from './support/options.js';
import { Scene } from './support/scene.js';

// Measures the built service against the least code that can answer the same requests, on one server:
// tsx test/bench/run.ts [--quick] [--json FILE] [--only W1,W3] [--seed N] [--import]
// Exit 0 when everything could be measured, whether or not the goals are met. The caller builds first.

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(args: string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const cleanup = new Cleanup();
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isInterrupted = true;
      void cleanup.run().then(() => process.exit(130));
    });
  }
  try {
    const scene = await Scene.open(options, cleanup, say);
    const results = await measure(scene, options, say);
    process.stdout.write(printed(results));
    if (options.jsonFile !== null) writeResults(options.jsonFile, results);
    if (!options.quick && options.all) writeResults(RESULTS_FILE, results);
    return 0;
  } catch (error) {
    // Errors during the teardown after an interruption are not reported.
    if (!isInterrupted) say(`The bench failed: ${inspect(error)}`);
    return 1;
  } finally {
    await cleanup.run();
  }
}

process.exitCode = await main(process.argv.slice(2));

import { measure } from './bench.js';
import { printed } from './report/print.js';
import { RESULTS_FILE, writeResults } from './report/results.js';
import { readOptions, USAGE, type Options } from './support/options.js';
import { Scene } from './support/scene.js';

// Measures the built service against the least that can answer the same requests, on one database:
// tsx test/bench/run.ts [--quick] [--json FILE] [--only W1,W3] [--seed N] [--import]
// Exit 0 when everything could be measured, whether the goals are met or not. The build is the caller's business.

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(args: string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const opening = Scene.open(options, say);
  const close = async () => (await opening).close();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(130)));
  }
  try {
    const results = await measure(await opening, options, say);
    process.stdout.write(printed(results));
    if (options.jsonFile !== null) writeResults(options.jsonFile, results);
    if (!options.quick && options.all) writeResults(RESULTS_FILE, results);
    return 0;
  } catch (error) {
    say(`The bench failed: ${(error as Error).stack}`);
    return 1;
  } finally {
    await close();
  }
}

process.exitCode = await main(process.argv.slice(2));

import { verdictsSince } from './works/books.js';
import { perform } from './works/perform.js';
import type { WorkResult } from './works/summary.js';
import { readOptions, USAGE, type Options } from './support/options.js';
import { Scene } from './support/scene.js';

// Measures the built service against the least that can answer the same requests, on one database:
// tsx test/bench/run.ts [--quick] [--json FILE] [--only W1,W3] [--seed N]. The build is the caller's business.

const say = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    say(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const start = new Date();
  const scene = await Scene.open(options, say);
  try {
    const results: WorkResult[] = [];
    for (const work of options.works) {
      say(`${work.name}: ${work.title}`);
      const result = await perform(scene, work, options.plan, options.seed);
      say(JSON.stringify(result));
      results.push(result);
    }
    say(JSON.stringify(await verdictsSince(scene.database, scene.shop, start)));
    return 0;
  } finally {
    await scene.close();
  }
}

process.exitCode = await main();

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// This program loads the packages of the service, and runs the API when tools/dev.mjs sends a message.

const MAIN = path.resolve('dist/apps/api/src/main.js');

process.once('message', () => {
  process.off('disconnect', process.exit);
  // The channel does not keep the API alive.
  process.channel.unref();
  void import(pathToFileURL(MAIN).href);
});
// The process ends with tools/dev.mjs, however that ends.
process.once('disconnect', process.exit);

const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const loadedLater = /^@opentelemetry\//;
for (const name of Object.keys(dependencies).filter((name) => !loadedLater.test(name))) {
  // The API reports a package that does not load.
  await import(name).catch(() => undefined);
}

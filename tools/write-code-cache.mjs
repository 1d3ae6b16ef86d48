import { writeFileSync } from 'node:fs';
import { codeCacheOf, compileBundle, runScript } from '../dist/libs/startup/src/run-bundle.js';

// Runs a bundle and, at the end, writes V8's code cache: it contains the functions that ran while the modules loaded.
// Writes nothing when V8 accepts a cache that exists: newer versions of Node need one for all flags.
const bundle = process.argv[2];
process.argv[2] = '--version';
const script = compileBundle(bundle);
process.on('exit', () => {
  if (script.cachedDataRejected !== false) writeFileSync(codeCacheOf(bundle), script.createCachedData());
});
runScript(bundle, script);

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

/** A flag of the API's start commands. Node 20 and 22 reject a code cache that was made with other flags for memory. */
const SEMI_SPACE = '--max-semi-space-size=64';

/**
 * The file of V8's code cache of a bundle, for the flags of this process. Only the build writes it, so the directory may
 * be read-only. V8 compares only the length of the bundle with its cache: the name of a bundle contains a hash of its
 * content, so that the cache of one never meets another.
 */
export function codeCacheOf(bundle: string): string {
  return `${bundle}${process.execArgv.includes(SEMI_SPACE) ? '.semi-space' : ''}.cache`;
}

/** Compiles a bundle. V8 ignores a code cache of another version or of other flags. */
export function compileBundle(bundle: string): vm.Script {
  const cache = [codeCacheOf(bundle), `${bundle}.cache`].find((file) => existsSync(file));
  // The bundle is pure ASCII: as latin1 it takes one byte per character.
  const source = readFileSync(bundle, 'latin1');
  return new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: bundle,
    cachedData: cache === undefined ? undefined : readFileSync(cache),
  });
}

/** Runs a compiled bundle as Node runs a CommonJS module. */
export function runScript(bundle: string, script: vm.Script): void {
  type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string, directory: string) => void;
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper;
  run(module.exports, createRequire(bundle), module, bundle, path.dirname(bundle));
}

/**
 * Runs a bundle in this directory, as the whole program of the process.
 *
 * @param name the name of its file.
 */
export function runBundle(name: string): void {
  const bundle = path.join(import.meta.dirname, name);
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  // Node maps the frames only of modules that it loads itself.
  if (flags.includes('--enable-source-maps')) createRequire(bundle)(bundle);
  else runScript(bundle, compileBundle(bundle));
}

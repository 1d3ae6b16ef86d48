import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canTraverse, allowTraversal, type Account } from './account.js';

/** The database role of every connection. */
export const ROLE = 'store';

/** A cluster in PostgreSQL's sense: the files of one server. */
export interface Cluster {
  /** The real directory, after following the link at `<dataDir>/postgres`, if it is one. */
  readonly directory: string;
  readonly password: string;
}

interface ClusterOptions {
  readonly dataDir: string;
  readonly account: Account | undefined;
  readonly initdb: string;
  /** Whether the files must be flushed to disk before the cluster counts as created. */
  readonly durable: boolean;
}

const CLUSTER = 'postgres';
const DRAFT = 'postgres.init-';

/** Opens the cluster of the data directory, or creates one. The caller must own the data directory. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, account } = options;
  if (account && canTraverse(account, dirname(dataDir))) allowTraversal(account, dataDir);
  const existing = existingCluster(dataDir);
  if (existing === undefined) return createCluster(options);
  if (account && !canTraverse(account, existing)) {
    throw new Error(`The account that runs PostgreSQL (uid ${account.uid}) cannot enter ${existing}.`);
  }
  return { directory: existing, password: readPassword(dataDir, existing) };
}

function existingCluster(dataDir: string): string | undefined {
  const path = join(dataDir, CLUSTER);
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isSymbolicLink() && !fs.existsSync(path)) {
    throw new Error(
      `The database was at ${fs.readlinkSync(path)}, which no longer exists: remove ${path} to start empty.`,
    );
  }
  return fs.realpathSync(path);
}

/**
 * The rename publishes only a complete cluster. An initdb that was killed half-way leaves a draft, which the next start
 * removes.
 */
async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, account, durable } = options;
  removeDrafts(dataDir);
  const password = randomBytes(24).toString('base64url');
  fs.writeFileSync(passwordFile(dataDir), password, { mode: 0o600, flush: true });
  const home = account ? homeFor(account, dataDir) : dataDir;
  const directory = join(home, CLUSTER);
  const draft = fs.mkdtempSync(join(home, DRAFT));
  try {
    await initialise(draft, password, options);
    fs.renameSync(join(draft, CLUSTER), directory);
    if (home !== dataDir) fs.symlinkSync(directory, join(dataDir, CLUSTER));
    if (durable) [home, dataDir].forEach(syncDirectory);
  } catch (error) {
    if (home !== dataDir) fs.rmSync(home, { recursive: true, force: true });
    throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return { directory: fs.realpathSync(directory), password };
}

async function initialise(draft: string, password: string, options: ClusterOptions): Promise<void> {
  const { account, initdb, durable } = options;
  // The password is passed in a file: the arguments of a process are public, and initdb cannot read a pipe of Node.
  const passwordCopy = join(draft, 'password');
  fs.writeFileSync(passwordCopy, password, { mode: 0o600 });
  if (account) [draft, passwordCopy].forEach((path) => fs.chownSync(path, account.uid, account.gid));
  const args = ['-D', join(draft, CLUSTER), '-U', ROLE, '--auth=scram-sha-256', `--pwfile=${passwordCopy}`];
  // The builtin provider needs no locale installed on the machine.
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C');
  if (!durable) args.push('--no-sync');
  try {
    await promisify(execFile)(initdb, args, { ...account, cwd: '/', env: serverEnvironment() });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = (stderr || message).replaceAll(password, '***').trim();
    throw new Error(`The embedded PostgreSQL could not be initialised: ${reason}`, { cause: error });
  }
}

/** Passes on only PATH of this process's environment: PGDATA and similar variables would redirect the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Returns the directory for a new cluster: the data directory if the account can enter it. Otherwise, such as below
 * /root, returns a separate directory that survives a reboot. `<dataDir>/postgres` then links to the cluster. As
 * nothing else refers to it, the next start after a deletion of the data directory begins with an empty database.
 */
function homeFor(account: Account, dataDir: string): string {
  if (canTraverse(account, dataDir)) return dataDir;
  const home = makeHome();
  allowTraversal(account, home);
  return home;
}

function makeHome(): string {
  try {
    return fs.mkdtempSync('/var/lib/store-commerce-');
  } catch {
    // On a read-only system, only the temporary directory is left. If it is emptied, `existingCluster` reports that.
    return fs.mkdtempSync(join(tmpdir(), 'store-commerce-'));
  }
}

/** Makes what was created in the directory survive a power cut. */
function syncDirectory(path: string): void {
  const directory = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}

function removeDrafts(dataDir: string): void {
  for (const name of fs.readdirSync(dataDir).filter((entry) => entry.startsWith(DRAFT))) {
    try {
      fs.rmSync(join(dataDir, name), { recursive: true, force: true });
    } catch {
      // An initdb whose parent was killed may still write to the draft. The new cluster gets a draft of another name.
    }
  }
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres.secret');
}

function readPassword(dataDir: string, cluster: string): string {
  try {
    return fs.readFileSync(passwordFile(dataDir), 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const secret = passwordFile(dataDir);
    throw new Error(`The password of the database in ${cluster} cannot be read from ${secret} (${code}).`, {
      cause: error,
    });
  }
}

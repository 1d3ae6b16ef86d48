import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The account the server runs under. `undefined` everywhere means: the one of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root has to hand the server to someone else: the owner of an existing cluster,
 * or else `postgres`, or else `nobody`.
 *
 * @throws Error when this process is root and none of them exists.
 */
export function serverAccount(dataDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false });
  if (cluster && cluster.uid !== 0) return { uid: cluster.uid, gid: cluster.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'The embedded PostgreSQL cannot run as root and there is no account "postgres" or "nobody" to run it: ' +
      'start as another user, or set DATABASE_URL.',
  );
}

/** Whether the account can enter the directory. Asked of the system itself: modes alone miss access control lists. */
export function canEnter(account: Account, directory: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' }).status === 0;
}

/**
 * Lets the account pass through a directory that is closed to its group, and nobody else, and not list it.
 * A directory whose group already has rights is left alone: they mean something to somebody.
 */
export function letThrough(account: Account, directory: string): void {
  const { mode, uid } = lstatSync(directory);
  if ((mode & 0o070) !== 0) return;
  chownSync(directory, uid, account.gid);
  chmodSync(directory, (mode & 0o7777) | 0o010);
}

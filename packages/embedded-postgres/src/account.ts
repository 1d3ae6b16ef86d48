import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The account that runs the server. `undefined` means the account of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs the server under another account: the owner of an existing cluster,
 * else `postgres`, else `nobody`.
 *
 * @throws Error when this process is root and neither account exists.
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

/** Whether the account can enter the directory. The system answers: file modes alone ignore access control lists. */
export function canTraverse(account: Account, directory: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' }).status === 0;
}

/**
 * Lets this account alone pass through a directory that is closed to its group, without the right to list it. A
 * directory whose group already has rights stays unchanged: another program may depend on them.
 */
export function allowTraversal(account: Account, directory: string): void {
  const { mode, uid } = lstatSync(directory);
  if ((mode & 0o070) !== 0) return;
  chownSync(directory, uid, account.gid);
  chmodSync(directory, (mode & 0o7777) | 0o010);
}

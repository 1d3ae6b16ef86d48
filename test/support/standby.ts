import { execFile } from 'node:child_process';
import { chown, cp, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@store-commerce/embedded-postgres';
import pg from 'pg';

/** @param dataDir must not exist yet. The user that runs PostgreSQL needs access to its parent directory. */
export async function startStandby(
  primary: { readonly url: string; readonly dataDir: string },
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedPostgres> {
  await copyCluster(primary, dataDir);
  return startEmbeddedPostgres({ dataDir, settings });
}

/** Follows https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP. */
async function copyCluster(primary: { readonly url: string; readonly dataDir: string }, to: string): Promise<void> {
  const copy = path.join(to, 'postgres');
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query(`SELECT pg_backup_start('standby', true)`);
  // The data directory may contain a link to the cluster.
  const cluster = await realpath(path.join(primary.dataDir, 'postgres'));
  await mkdir(to, { mode: 0o711 });
  await promisify(execFile)('cp', ['-a', cluster, copy]); // keeps the owner of the files, which Node's cp does not
  await rm(path.join(copy, 'postmaster.pid'));
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();

  await cp(path.join(primary.dataDir, 'postgres.secret'), path.join(to, 'postgres.secret'));
  const { uid, gid } = await stat(copy);
  for (const [name, text] of Object.entries({ backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' })) {
    await writeFile(path.join(copy, name), text);
    await chown(path.join(copy, name), uid, gid);
  }
  const { hostname, port, username, password } = new URL(primary.url);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = path.join(copy, 'postgresql.auto.conf');
  await writeFile(settings, `${await readFile(settings, 'utf8')}primary_conninfo = '${conninfo}'\n`);
}

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { PGBOUNCER_MIN } from '../support/programs.js';
import type { ProofForm } from '../support/proof.js';

const POSTGRES = '/usr/lib/postgresql';

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  postgresql: [path.join(postgresPrograms(), 'postgres'), '--version'],
  'etcd-server': ['etcd', '--version'],
  patroni: ['patroni', '--version'],
  // These are Patroni's clients of etcd's v2 API and of PostgreSQL.
  'python3-etcd': ['/usr/bin/python3', '-c', 'import etcd, platform; print(platform.python_version())'],
  'python3-psycopg2': ['/usr/bin/python3', '-c', 'import psycopg2; print(psycopg2.__version__)'],
  haproxy: [process.env['HAPROXY'] ?? 'haproxy', '-v'],
  pgbouncer: [process.env['PGBOUNCER'] ?? 'pgbouncer', '--version'],
};
/** The short form runs without it. */
const FULL_ONLY = 'pgbouncer';

export async function missingPackages(form: ProofForm): Promise<string[]> {
  const missing: string[] = [];
  for (const name of Object.keys(PACKAGES).filter((one) => form === 'full' || one !== FULL_ONLY)) {
    const version = await versionOf(name);
    if (version === null) missing.push(name);
    else if (name === FULL_ONLY && isOlder(version, PGBOUNCER_MIN)) {
      missing.push(`${name} ${PGBOUNCER_MIN.join('.')}, this is ${version} (PGBOUNCER names another program)`);
    }
  }
  return missing;
}

/** Returns the directory of the newest version's programs, which does not exist when there are none. */
export function postgresPrograms(): string {
  try {
    const [newest = ''] = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a));
    return path.join(POSTGRES, newest, 'bin');
  } catch {
    return POSTGRES;
  }
}

export async function engineOf(form: ProofForm): Promise<string> {
  const named = async (label: string, name: string) => `${label} ${(await versionOf(name)) ?? '?'}`;
  const programs = [
    named('PostgreSQL', 'postgresql'),
    named('Patroni', 'patroni'),
    named('etcd (v2 API)', 'etcd-server'),
    named('HAProxy', 'haproxy'),
    ...(form === 'full' ? [named('PgBouncer', 'pgbouncer')] : []),
  ];
  return (await Promise.all(programs)).join(', ');
}

async function versionOf(name: string): Promise<string | null> {
  const [program = '', ...args] = PACKAGES[name] ?? [];
  try {
    const { stdout } = await promisify(execFile)(program, args);
    return /\d+\.\d+(?:\.\d+)?/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [its = 0, minors = 0] = version.split('.').map(Number);
  return its < major || (its === major && minors < minor);
}

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { serverPort } from '../../support/free-port.js';
import { startProgram, type Program } from '../support/programs.js';
import type { MemberAddress } from './member.js';

interface PatroniSettings {
  readonly address: MemberAddress;
  readonly data: string;
  readonly programs: string;
  readonly passwordFile: string;
  readonly password: string;
  readonly etcd: readonly string[];
}

/** The cluster that docs/high-availability.md describes. `ttl` is the smallest that Patroni accepts. */
const CLUSTER = {
  ttl: 20,
  loop_wait: 3,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: { max_connections: 400, wal_sender_timeout: '10s', shared_buffers: '128MB' },
  },
};

/** Returns JSON, which is valid YAML. */
export function patroniConfig({ address, data, programs, passwordFile, password, etcd }: PatroniSettings): string {
  const { name, port, restPort } = address;
  const rest = `127.0.0.1:${restPort}`;
  const server = `127.0.0.1:${port}`;
  return JSON.stringify({
    scope: 'store',
    name,
    restapi: { listen: rest, connect_address: rest },
    // The v2 API is used because with etcd3, Patroni 3.0.2 lets a primary that was frozen take its expired leader key
    // back.
    etcd: { hosts: etcd },
    bootstrap: { dcs: CLUSTER, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: data,
      bin_dir: programs,
      pgpass: passwordFile,
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
    },
  });
}

export async function startPrimaryProxy(members: readonly MemberAddress[]): Promise<Program> {
  const port = await serverPort();
  return startProgram(process.env['HAPROXY'] ?? 'haproxy', port, (directory) => {
    const servers = members.map(
      ({ name, port: postgres, restPort }) => `  server ${name} 127.0.0.1:${postgres} check port ${restPort}`,
    );
    const config = path.join(directory, 'haproxy.cfg');
    writeFileSync(
      config,
      `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
    );
    return ['-db', '-f', config];
  });
}

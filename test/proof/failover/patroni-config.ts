import type { MemberAddress } from './member.js';

export interface PatroniSettings {
  readonly address: MemberAddress;
  readonly data: string;
  /** The directory of PostgreSQL's programs. */
  readonly programs: string;
  readonly passwordFile: string;
  readonly password: string;
  /** Addresses of etcd, as host:port. */
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

/** JSON, which is YAML. */
export function patroniConfig({ address, data, programs, passwordFile, password, etcd }: PatroniSettings): string {
  const { name, port, restPort } = address;
  const rest = `127.0.0.1:${restPort}`;
  const server = `127.0.0.1:${port}`;
  return JSON.stringify({
    scope: 'store',
    name,
    restapi: { listen: rest, connect_address: rest },
    // The v2 API: with etcd3, Patroni 3.0.2 lets a primary that was frozen take its expired leader key back.
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

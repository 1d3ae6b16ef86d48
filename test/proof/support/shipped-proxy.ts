import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../support/free-port.js';
import { startProgram } from './programs.js';
import type { Service } from './service.js';

export const HAPROXY = process.env['HAPROXY'] ?? 'haproxy';
const SHIPPED = path.resolve(import.meta.dirname, '../../../docker/haproxy');

interface ShippedProxy {
  readonly url: string;
  readonly tlsUrl: string;
  /** A command of HAProxy, with `@` for the directory of the maps. */
  command(text: string): Promise<string>;
  stop(): Promise<void>;
}

interface OtherCluster {
  readonly url: string;
  /** The lines of both maps at the start. */
  readonly keys: readonly string[];
  readonly clusters: readonly string[];
}

/**
 * @param other the `cluster_b` of clusters.cfg. When absent, haproxy.cfg alone runs.
 * @throws Error when a shipped configuration has other lines than those that are replaced.
 */
export async function startShippedProxy(service: Pick<Service, 'url'>, other?: OtherCluster): Promise<ShippedProxy> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  let [maps, socket] = ['', ''];
  const program = await startProgram('env', port, (directory) => {
    const certificate = selfSigned(directory);
    maps = directory;
    socket = path.join(directory, 'admin.sock');
    const first = adapted(directory, 'haproxy.cfg', [
      [/^ {2}bind :8443 ssl crt \S+/gm, `  bind 127.0.0.1:${port}\n  bind 127.0.0.1:${tlsPort} ssl crt ${certificate}`],
      [/^ {2}server-template .*/gm, `  server api1 ${new URL(service.url).host}`],
      [/ check port 3001 /g, ' check '],
      [/ resolvers docker init-addr none$/gm, ''],
    ]);
    if (!other) return [HAPROXY, '-db', '-f', first];
    writeFileSync(path.join(maps, 'keys.map'), other.keys.join('\n'));
    writeFileSync(path.join(maps, 'clusters.map'), other.clusters.join('\n'));
    const second = adapted(directory, 'clusters.cfg', [
      [/^ {2}server-template .*/gm, `  server b1 ${new URL(other.url).host}`],
      [/^ {2}stats socket \S+/gm, `  stats socket ${socket}`],
    ]);
    return [`CLUSTER_MAPS=${maps}`, HAPROXY, '-db', '-f', first, '-f', second];
  });
  return {
    url: `http://127.0.0.1:${port}`,
    tlsUrl: `https://127.0.0.1:${tlsPort}`,
    command: (line) => text(connect(socket).end(`${line.replace('@', maps)}\n`)),
    stop: () => program.stop(),
  };
}

function adapted(directory: string, name: string, changes: readonly (readonly [RegExp, string])[]): string {
  const shipped = readFileSync(path.join(SHIPPED, name), 'utf8');
  const config = changes.reduce((config, [line, mine]) => {
    if (config.search(line) < 0) throw new Error(`${name} has no line ${String(line)}`);
    return config.replaceAll(line, mine);
  }, shipped);
  const file = path.join(directory, name);
  writeFileSync(file, config);
  return file;
}

function selfSigned(directory: string): string {
  const file = path.join(directory, 'certificate.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file];
  const certificate = execFileSync('openssl', ['req', '-x509', ...key, '-subj', '/CN=localhost'], { stdio: 'pipe' });
  writeFileSync(file, certificate, { flag: 'a' });
  return file;
}

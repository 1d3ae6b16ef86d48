import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';
import { startProgram } from './programs.js';
import type { Service } from './service.js';

export const HAPROXY = process.env['HAPROXY'] ?? 'haproxy';
const CONFIG = path.resolve(import.meta.dirname, '../../../docker/haproxy/haproxy.cfg');

interface ShippedProxy {
  readonly url: string;
  readonly tlsUrl: string;
  stop(): Promise<void>;
}

/** @throws Error when the shipped configuration has other lines than those that are replaced. */
export async function startShippedProxy(service: Service): Promise<ShippedProxy> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const program = await startProgram(HAPROXY, port, (directory) => {
    const certificate = selfSigned(directory);
    const file = path.join(directory, 'haproxy.cfg');
    const text = [
      [/^ {2}bind :8443 ssl crt \S+/gm, `  bind 127.0.0.1:${port}\n  bind 127.0.0.1:${tlsPort} ssl crt ${certificate}`],
      [/^ {2}server-template .*/gm, `  server api1 ${new URL(service.url).host}`],
      [/ check port 3001 /g, ' check '],
      [/ resolvers docker init-addr none$/gm, ''],
    ].reduce(
      (config, [line = '', mine]) => {
        if (config.search(line) < 0) throw new Error(`${CONFIG} has no line ${String(line)}`);
        return config.replaceAll(line, mine as string);
      },
      readFileSync(CONFIG, 'utf8'),
    );
    writeFileSync(file, text);
    return ['-db', '-f', file];
  });
  return { url: `http://127.0.0.1:${port}`, tlsUrl: `https://127.0.0.1:${tlsPort}`, stop: () => program.stop() };
}

function selfSigned(directory: string): string {
  const file = path.join(directory, 'certificate.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file];
  const certificate = execFileSync('openssl', ['req', '-x509', ...key, '-subj', '/CN=localhost'], { stdio: 'pipe' });
  writeFileSync(file, certificate, { flag: 'a' });
  return file;
}

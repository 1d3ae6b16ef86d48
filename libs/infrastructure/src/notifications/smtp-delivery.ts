import nodemailer, { type SendMailOptions } from 'nodemailer';
import { keepTextsLiteral } from './literal-headers.js';
import { MailFailure } from './mail-failure.js';

export interface SmtpTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** Of silence. */
  readonly socketMs: number;
  /** Of one attempt in all: a server that trickles its answers is never silent. */
  readonly attemptMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 5_000, greetingMs: 5_000, socketMs: 10_000, attemptMs: 30_000 };

/** Hands messages to a mail server over a few connections that stay open. */
export class SmtpDelivery {
  private readonly pool;

  /**
   * @param url may carry a password. It goes to the mailer and nowhere else.
   * @param connections at most: as many as there are messages at a time, or some would wait.
   */
  constructor(
    url: string,
    connections: number,
    private readonly timeouts: SmtpTimeouts = TIMEOUTS,
  ) {
    this.pool = nodemailer.createTransport({
      url,
      pool: true,
      maxConnections: connections,
      // For the connection that the server closed just as it was taken up again. The rest is up to the queue.
      maxRequeues: 1,
      connectionTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.greetingMs,
      socketTimeout: timeouts.socketMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.pool.use('stream', keepTextsLiteral);
    // Failures of idle connections; those of a message are thrown.
    this.pool.on('error', () => undefined);
  }

  /** @throws MailFailure when the server did not take the message, or did not say so in time. */
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

import net from 'node:net';

/**
 * Sends everything written in one turn of the event loop with a single system call. Otherwise, each statement of a
 * pipeline takes its own. Over TLS, writes are not joined, because pg wraps this socket in another one.
 */
export class JoiningSocket extends net.Socket {
  /** Whether something was written in this turn. The pg driver also corks the socket for each statement. */
  private hasWritten = false;

  constructor() {
    super();
    // This must follow `connect()`, which restores the method of the class.
    this.once('connect', () => {
      const write = this.write.bind(this) as (...args: unknown[]) => boolean;
      this.write = (...args: unknown[]) => {
        if (!this.hasWritten) {
          this.hasWritten = true;
          this.cork();
          process.nextTick(() => {
            this.hasWritten = false;
            this.uncork();
          });
        }
        return write(...args);
      };
    });
  }
}

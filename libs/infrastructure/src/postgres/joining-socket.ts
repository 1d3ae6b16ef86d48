import net from 'node:net';

/**
 * Sends what is written in one turn of the event loop with one system call: each statement of a pipeline would take its own.
 * Over TLS, writes leave as they are: pg makes another socket of this one.
 */
export class JoiningSocket extends net.Socket {
  /** Whether the turn has written. pg corks the socket, too, for each statement by itself. */
  private hasWritten = false;

  constructor() {
    super();
    // Later than `connect()`, which puts the method of the class back.
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

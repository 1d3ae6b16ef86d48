import { Socket } from 'node:net';

/**
 * Sends what is written in one tick as one packet: sending is most of the process's cost of a short statement. With TLS,
 * Node encrypts and sends each statement by itself.
 */
export class PacketSocket extends Socket {
  private isHeld = false;

  override write(chunk: Uint8Array | string, ...rest: never[]): boolean {
    if (!this.isHeld) {
      this.isHeld = true;
      this.cork();
      process.nextTick(() => {
        this.isHeld = false;
        this.uncork();
      });
    }
    return super.write(chunk, ...rest);
  }
}

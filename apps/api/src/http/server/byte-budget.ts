import type { Socket } from 'node:net';
import { hangUp } from './hang-up.js';

/**
 * Bounds the bytes that a process holds for its connections. Above `most`, the process resets the connection that holds
 * the most; of equals, the one that has not grown for the longest time.
 */
export class ByteBudget {
  private readonly held = new Map<Socket, number>();
  private total = 0;

  constructor(
    private readonly most: number,
    private readonly onReset: () => void,
  ) {}

  /** Records the bytes that a connection holds now. May reset it, or another one. */
  hold(socket: Socket, bytes: number): void {
    this.release(socket);
    this.held.set(socket, bytes);
    this.total += bytes;
    while (this.total > this.most) {
      const [largest] = [...this.held].reduce((most, each) => (each[1] > most[1] ? each : most));
      this.release(largest);
      this.onReset();
      hangUp(largest);
    }
  }

  release(socket: Socket): void {
    this.total -= this.held.get(socket) ?? 0;
    this.held.delete(socket);
  }
}

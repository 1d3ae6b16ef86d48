const QUIET_MS = 5_000;

type WriteLine = (message: string, fields?: object) => void;

/** Writes one line when an outage begins, and another with the number of failures when it has ended. */
export class OutageLog {
  private failures = 0;
  private beganAt = 0;
  private lastAt = 0;

  /** @param name names the outage in its last line: `<name>: ended after 12 s and 340 failures`. */
  constructor(
    private readonly name: string,
    private readonly write: WriteLine,
    private readonly quietMs = QUIET_MS,
  ) {}

  note(message: string, fields?: object): void {
    this.lastAt = performance.now();
    if (this.failures++ > 0) return;
    this.beganAt = this.lastAt;
    this.write(message, fields);
    this.endAfter(this.quietMs);
  }

  private endAfter(milliseconds: number): void {
    setTimeout(() => {
      const quietFor = performance.now() - this.lastAt;
      if (quietFor < this.quietMs) this.endAfter(this.quietMs - quietFor);
      else this.end();
    }, milliseconds).unref();
  }

  private end(): void {
    const { failures } = this;
    const seconds = Math.round((this.lastAt - this.beganAt) / 1_000);
    this.failures = 0;
    if (failures === 1) return;
    this.write(`${this.name}: ended after ${seconds} s and ${failures} failures`, { failures, seconds });
  }
}

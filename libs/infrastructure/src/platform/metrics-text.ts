import type { Registry } from 'prom-client';

const FRESH_MS = 1_000;

/**
 * The metrics as Prometheus reads them, made at most once a second for all readers. Making the text blocks the event loop
 * for milliseconds, and no key is needed to ask for it.
 */
export class MetricsText {
  private text: Promise<Buffer> | null = null;
  private madeAt = -Infinity;

  constructor(
    private readonly registry: Pick<Registry, 'metrics' | 'contentType'>,
    /** Milliseconds of a clock that never goes back. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The figures of this moment, or of up to one second ago. A failure is not kept. */
  read(): Promise<Buffer> {
    if (this.text && this.now() - this.madeAt < FRESH_MS) return this.text;
    this.madeAt = this.now();
    const text = this.registry.metrics().then((made) => Buffer.from(made));
    text.catch(() => (this.text = this.text === text ? null : this.text));
    return (this.text = text);
  }
}

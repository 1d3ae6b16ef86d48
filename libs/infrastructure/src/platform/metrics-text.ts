import type { Registry } from 'prom-client';

const FRESH_MS = 1_000;

/**
 * The metrics in Prometheus's text format, rendered at most once a second for all readers. Rendering blocks the event
 * loop for milliseconds, and the endpoint needs no API key.
 */
export class MetricsText {
  private text: Promise<Buffer> | null = null;
  private madeAt = -Infinity;

  constructor(
    private readonly registry: Pick<Registry, 'metrics' | 'contentType'>,
    /** Milliseconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The metrics, at most one second old. A failure is not cached. */
  read(): Promise<Buffer> {
    if (this.text && this.now() - this.madeAt < FRESH_MS) return this.text;
    this.madeAt = this.now();
    const text = this.registry.metrics().then((made) => Buffer.from(made));
    text.catch(() => (this.text = this.text === text ? null : this.text));
    return (this.text = text);
  }
}

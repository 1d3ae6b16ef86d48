import { setTimeout as delay } from 'node:timers/promises';
import { traceWith } from './spans.js';

const FLUSH_TIMEOUT_MS = 3_000;

/**
 * Starts tracing. The exporter, the sampler and the resource read the standard `OTEL_*` variables. The packages are
 * loaded only here.
 * @returns a function that sends the remaining spans and stops.
 */
export async function startTracing(service: string): Promise<() => Promise<void>> {
  const [sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': service }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // This call also registers the context manager and the propagation of W3C trace context.
  provider.register();
  traceWith(provider.getTracer('store-commerce'));
  return async () => {
    const sent = provider.shutdown().catch(() => undefined);
    await Promise.race([sent, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  };
}

import type { IncomingHttpHeaders } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { errorCode } from './error-code.js';
import { statementName } from './statement-name.js';

// The tracer is null until tracing starts. Each function checks it first, which is the whole cost of tracing while it
// is off.
let tracer: Tracer | null = null;

export function traceWith(started: Tracer): void {
  tracer = started;
}

export function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>, root = false): Promise<T> {
  if (!tracer) return work();
  const parent = root ? ROOT_CONTEXT : context.active();
  const span = tracer.startSpan(name, { kind: root ? SpanKind.CONSUMER : SpanKind.INTERNAL, attributes }, parent);
  return ended(span, context.with(trace.setSpan(parent, span), work));
}

/** Runs a statement in a span. The span contains `text` with its placeholders, but no values. */
export function tracedStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  if (!tracer) return work();
  return ended(startStatement(tracer, text), work());
}

export function traceStatement(text: string, durationMs: number): void {
  if (tracer) startStatement(tracer, text, Date.now() - durationMs).end();
}

export type RequestSpan = ReturnType<typeof startRequestSpan>;

export function startRequestSpan(headers: IncomingHttpHeaders, name: string, attributes: Attributes) {
  const parent = callerOf(headers);
  const span = trace.getTracer('store-commerce').startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  const within = trace.setSpan(parent, span);
  return {
    run: (work: () => void) => context.with(within, work),
    end: (status: number, more: Attributes) => {
      span.setAttributes({ 'http.response.status_code': status, ...more });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Reads only ids: other headers, such as `tracestate`, may contain any text. */
function callerOf(headers: IncomingHttpHeaders): Context {
  const caller = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
  if (!caller) return ROOT_CONTEXT;
  const { traceId, spanId, traceFlags } = caller;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function startStatement(by: Tracer, text: string, startTime?: number): Span {
  const query = text.replace(/\s+/g, ' ').trim();
  const operation = /^(?:\/\*.*?\*\/ )?(\w+)/.exec(query)?.[1]?.toUpperCase() ?? 'SQL';
  const name = statementName(query) ?? operation;
  return by.startSpan(name, {
    kind: SpanKind.CLIENT,
    ...(startTime !== undefined && { startTime }),
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': name,
      'db.query.text': query,
    },
  });
}

/** Ends the span with the work. The span gets only the class or code of an error: the message may quote a value. */
function ended<T>(span: Span, work: Promise<T>): Promise<T> {
  const fail = (error: unknown) => {
    const type = errorCode(error) ?? (error instanceof Error ? error.constructor.name : typeof error);
    span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  };
  work.catch(fail).finally(() => span.end());
  return work;
}

import type { IncomingHttpHeaders } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
} from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { errorCode } from './error-code.js';
import { statementName } from './statement-name.js';

// Null until tracing starts. Each function checks it first, which is the whole cost of tracing while it is off.
let tracer: Tracer | null = null;

export function traceWith(started: Tracer): void {
  tracer = started;
}

export function isTracing(): boolean {
  return tracer !== null;
}

/**
 * Runs `work` in a new span. The span has an error's class or code only, because its message may quote a value.
 */
export function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>, root = false): Promise<T> {
  if (!tracer) return work();
  const parent = root ? ROOT_CONTEXT : context.active();
  const span = tracer.startSpan(name, { kind: root ? SpanKind.CONSUMER : SpanKind.INTERNAL, attributes }, parent);
  const result = context.with(trace.setSpan(parent, span), work);
  result.then(
    () => span.end(),
    (error: unknown) => fail(span, error).end(),
  );
  return result;
}

/** Runs a statement in a span. The span contains `text` with its placeholders, but no values. */
export function tracedStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  if (!tracer) return work();
  const span = startStatement(tracer, text);
  const result = work();
  result.then(
    () => span.end(),
    (error: unknown) => fail(span, error).end(),
  );
  return result;
}

export function traceStatement(text: string, durationMs: number): void {
  if (tracer) startStatement(tracer, text, Date.now() - durationMs).end();
}

export interface RequestSpan {
  /** Runs `work` with this span as the parent of its spans. */
  run(work: () => void): void;
  end(status: number, attributes: Attributes): void;
}

/** Starts a span that continues the trace of the headers, if they name one. Only while tracing is on. */
export function startRequestSpan(headers: IncomingHttpHeaders, name: string, attributes: Attributes): RequestSpan {
  const parent = callerOf(headers);
  const span = trace.getTracer('store-commerce').startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  const within = trace.setSpan(parent, span);
  return {
    run: (work) => context.with(within, work),
    end: (status, more) => {
      span.setAttributes({ 'http.response.status_code': status, ...more });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Ids only: other headers, such as `tracestate`, may contain any text. */
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

function fail(span: Span, error: unknown): Span {
  const type = errorCode(error) ?? (error instanceof Error ? error.constructor.name : typeof error);
  return span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

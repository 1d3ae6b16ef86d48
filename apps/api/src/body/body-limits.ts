import type { FastifyRequest, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets the unparsed body, of at most this many bytes. */
    rawBytes?: number;
  }
}

const KB = 1024;

interface BodyLimits {
  readonly bytes: number;
  /** The limit in words. */
  readonly size: string;
  readonly levels: number;
  /** The total number of object members and array elements. A nested object or array counts twice. */
  readonly values: number;
}

/**
 * A valid body has at most three levels, and the largest order has about 450 values. The limits are higher, because a
 * body may have fields that the service ignores.
 */
export const BODIES: BodyLimits = { bytes: 256 * KB, size: '256 kB', levels: 8, values: 4_000 };

export const IMPORT_PATH = '/v1/import';
/** A body of the maximum size may have one value for every 21 bytes. */
const IMPORTS: BodyLimits = { bytes: 2 * KB * KB, size: '2 MB', levels: 10, values: 100_000 };

export function isImport({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === IMPORT_PATH;
}

/** Whether the handler gets the unparsed body. */
export function isRaw({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.rawBytes !== undefined;
}

export function bodyLimitsOf(request: FastifyRequest): BodyLimits {
  const { rawBytes } = request.routeOptions.config;
  if (rawBytes !== undefined) return { ...BODIES, bytes: rawBytes, size: `${rawBytes} bytes` };
  return isImport(request) ? IMPORTS : BODIES;
}

export function limitBodies(route: RouteOptions): void {
  if (route.url === IMPORT_PATH) route.bodyLimit = IMPORTS.bytes;
  if (route.config?.rawBytes !== undefined) route.bodyLimit = route.config.rawBytes;
}

/** A body of lines that are not parsed yet. A line that is not JSON is refused without the others. */
export class Ndjson {
  constructor(readonly text: string) {}
}

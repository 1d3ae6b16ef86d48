/** The text of the answer to a request that Fastify refuses, by Fastify's code. The status is always 400. */
export const FASTIFY_FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'Request body exceeds 256 kB',
  FST_ERR_CTP_EMPTY_TYPE: 'Content-Type must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the request body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'Request body is not valid JSON',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json',
  FST_ERR_CTP_INVALID_TYPE: 'Content-Type must be application/json',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'Content-Type must be application/json',
};

/** The text of the answer to bytes that are not a request, by Node's code or our own. */
export const SOCKET_FAULTS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
  HPE_HEADER_OVERFLOW: 'The request headers are too large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions are too large',
  HPE_INVALID_METHOD: 'The request does not begin with a known HTTP method',
  HPE_INVALID_VERSION: 'The request line must end with a supported HTTP version and CRLF',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be one number, and not with Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length must be one number, and not with Transfer-Encoding',
  HPE_INVALID_TRANSFER_ENCODING: 'Transfer-Encoding must be chunked, and not with Content-Length',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not supported',
  BYTE_ORDER_MARKS: 'Request body is not valid JSON',
};

/** A connection received bytes that are not a request, or that another server may read differently. It closes. */
export class MalformedRequest extends Error {
  constructor(readonly code: string) {
    super(SOCKET_FAULTS[code] ?? 'The request is malformed');
  }
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Is empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  text(): string;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let text = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (isTraces) {
        text += body.toString('latin1');
        spans.push(...readTraces(body));
      }
      response.writeHead(isTraces ? 200 : 404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => text,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Returns the byte fields (texts and messages) of a message by number. Number fields are skipped except the sum in
 * field 1.
 */
function fields(message: Buffer): Map<number, Buffer[]> {
  const found = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const put = (field: number, value: Buffer) => found.set(field, [...(found.get(field) ?? []), value]);
  while (at < message.length) {
    const tag = varint();
    const [field, type] = [tag >> 3, tag & 7];
    if (type === 0) put(field, Buffer.from(String(varint())));
    else {
      const length = type === 2 ? varint() : type === 1 ? 8 : 4;
      put(field, message.subarray(at, (at += length)));
    }
  }
  return found;
}

const first = (message: Map<number, Buffer[]>, field: number): Buffer => message.get(field)?.[0] ?? Buffer.alloc(0);

function attributesOf(list: readonly Buffer[] = []): Record<string, string> {
  return Object.fromEntries(
    list.map((attribute) => {
      const pair = fields(attribute);
      const [value] = [...fields(first(pair, 2)).values()];
      return [first(pair, 1).toString(), value?.[0]?.toString() ?? ''];
    }),
  );
}

function readTraces(body: Buffer): ReceivedSpan[] {
  return (fields(body).get(1) ?? []).flatMap((resourceSpans) => {
    const group = fields(resourceSpans);
    const service = attributesOf(fields(first(group, 1)).get(1))['service.name'] ?? '';
    const spans = (group.get(2) ?? []).flatMap((scope) => fields(scope).get(2) ?? []);
    return spans.map((bytes) => {
      const span = fields(bytes);
      return {
        service,
        traceId: first(span, 1).toString('hex'),
        spanId: first(span, 2).toString('hex'),
        parentId: first(span, 4).toString('hex'),
        name: first(span, 5).toString(),
        attributes: attributesOf(span.get(9)),
      };
    });
  });
}

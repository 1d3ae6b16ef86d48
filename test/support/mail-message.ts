interface MailMessage {
  /** Header values by name in lower case, unfolded and with decoded words. One entry per line. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly parts: ReadonlyMap<string, string>;
}

export function readMail(raw: string): MailMessage {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')?.[0] ?? '')?.[1];
  const parts = new Map<string, string>();
  const sections = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1);
  for (const part of sections.map((section) => split(section.replace(/^\r\n/, '').replace(/\r\n$/, '')))) {
    const type = part.headers.get('content-type')?.[0]?.split(';')[0] ?? '';
    parts.set(type, decode(part.body, part.headers.get('content-transfer-encoding')?.[0] ?? '7bit'));
  }
  return { headers, parts };
}

function split(raw: string): { headers: Map<string, string[]>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers = new Map<string, string[]>();
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), decodeWords(line.slice(line.indexOf(':') + 1).trim())]);
  }
  return { headers, body: raw.slice(end + 4) };
}

function decodeWords(value: string): string {
  const adjacent = value.replace(/(\?=)\s+(=\?)/g, '$1$2');
  return adjacent.replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, content: string) =>
    encoding.toLowerCase() === 'b'
      ? decode(content, 'base64')
      : decode(content.replaceAll('_', ' '), 'quoted-printable'),
  );
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n');
  const octets = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_octet, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}

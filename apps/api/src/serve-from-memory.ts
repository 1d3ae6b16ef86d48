import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { PUBLIC } from './route-access.js';
import { weightsOf } from './headers.js';

type Coding = 'br' | 'gzip';
type Compressed = Partial<Record<Coding, Buffer | Promise<Buffer>>>;

/**
 * Compresses what a process makes itself, such as the document, which includes the routes of extensions. It runs in a
 * thread at the first request that accepts the coding, so a start does not wait for it. Brotli takes 5 ms for the
 * document at quality 5. Its default, 11, takes 140 ms for an eighth less.
 */
const compress: Record<Coding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
};

export class PublicFile {
  readonly content: Buffer;
  readonly version: string;

  /** @param compressed copies that the build has compressed. */
  constructor(
    content: string | Buffer,
    readonly type: string,
    private readonly compressed: Compressed = {},
  ) {
    this.content = Buffer.from(content);
    this.version = createHash('sha256').update(this.content).digest('base64url').slice(0, 16);
  }

  /** @param accepted the header `Accept-Encoding`. */
  codingFor(accepted?: string): Coding | null {
    if (this.type.startsWith('image/')) return null; // compressed already
    const weights = weightsOf(accepted);
    const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
    const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br';
    return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
  }

  in(coding: Coding): Buffer | Promise<Buffer> {
    return (this.compressed[coding] ??= compress[coding](this.content));
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

interface BuiltFile {
  readonly name: string;
  /** Reads the file at the first call, so that a start does not wait for it. */
  readonly file: () => PublicFile;
}

/**
 * Returns the files that a build tool has written for browsers, with their compressed copies; none before the build.
 * @param folder the folder in `dist`.
 */
export function filesOfBuild(folder: string): BuiltFile[] {
  // The folder is searched relative to the bundle, to the separate files of the build, and to the source.
  const found = [`../${folder}`, `../../../${folder}`, `../../../dist/${folder}`]
    .map((name) => path.join(import.meta.dirname, name))
    .find((candidate) => existsSync(path.join(candidate, 'index.html')));
  if (found === undefined) return [];
  const names = readdirSync(found).filter((name) => path.extname(name) in TYPES);
  return names.map((name) => {
    let file: PublicFile | undefined;
    return { name, file: () => (file ??= builtFile(path.join(found, name))) };
  });
}

function builtFile(file: string): PublicFile {
  const type = TYPES[path.extname(file)] ?? '';
  const isCompressed = existsSync(`${file}.br`);
  const compressed = isCompressed ? { br: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`) } : {};
  return new PublicFile(readFileSync(file), type, compressed);
}

export const A_YEAR = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

/**
 * Answers from one buffer that all connections share: a stream would hold a descriptor until its client has read it. A
 * URL with the version (`?v=…`) may be cached for a year. The version is compared, because during a deployment, a
 * client may request the version of another process.
 */
export function serveFromMemory(
  fastify: FastifyInstance,
  address: string,
  file: () => PublicFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  fastify.get<{ Querystring: { v?: unknown } }>(address, { config: PUBLIC }, async (request, reply) => {
    const current = file();
    const coding = current.codingFor(request.headers['accept-encoding']);
    const content = coding ? await current.in(coding) : current.content;
    const caching = request.query.v === current.version ? A_YEAR : REVALIDATE;
    // The `entity-tags` plugin compares the tag. Hashing the content for each request would cost more.
    const etag = coding ? `"${current.version}-${coding}"` : `"${current.version}"`;
    void reply.headers({ etag, vary: 'Accept-Encoding', 'cache-control': caching, ...headers });
    if (coding) void reply.header('content-encoding', coding);
    return reply.type(current.type).send(content);
  });
}

import { readFileSync } from 'node:fs';

export interface GuideExample {
  /** The page, and its line at which the request begins. */
  readonly place: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** A part of the answer: its fields, and the first rows of its lists. */
    readonly body: unknown;
  };
}

const BLOCK = /^```(?:http|sh)\n([^]*?)\n```$/gm;
const CURL = /^curl https?:\/\/[^/]+(\/v1\S*) -H "Authorization: Bearer \$KEY"$/;

/**
 * @returns the requests of a page of the guide, each with the answer in the next block.
 * @throws Error when an answer follows no request, or a request has no answer.
 */
export function examplesOf(page: string): GuideExample[] {
  const text = readFileSync(page, 'utf8');
  const blocks = [...text.matchAll(BLOCK)]
    .map(({ 1: block = '', index }) => ({ block, place: `${page}:${text.slice(0, index).split('\n').length + 1}` }))
    .filter(({ block }) => CURL.test(block) || /^(?:GET|POST|PUT|PATCH|DELETE|HTTP\/1\.1) /.test(block));
  return blocks.flatMap(({ block, place }, index) => {
    const isAnswer = (each?: string) => each?.startsWith('HTTP/1.1 ') === true;
    if (isAnswer(block)) {
      if (index === 0 || isAnswer(blocks[index - 1]?.block)) throw new Error(`${place}: the answer follows no request`);
      return [];
    }
    const next = blocks[index + 1]?.block;
    if (next === undefined || !isAnswer(next)) throw new Error(`${place}: the request has no answer`);
    const answer = messageOf(next);
    const status = Number(answer.start.split(' ')[1]);
    const request = messageOf(block.replace(CURL, 'GET $1'));
    const [method = '', path = ''] = request.start.split(' ');
    const { headers, body } = request;
    return [
      { place, method, path, headers, body, answer: { ...answer, status, body: JSON.parse(answer.body) as unknown } },
    ];
  });
}

function messageOf(block: string) {
  const [head = '', ...body] = block.split('\n\n');
  const [start = '', ...lines] = head.split('\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
  return { start, headers, body: body.join('\n\n') };
}

/** Matches values that differ each time: ids, receipt numbers, times, texts of keys, cursors. */
const DRAWN = [
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /^(?:WEB|POS)-\d{6}-[0-9A-Z]{6}$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  /^svc_(?:live|test)_\w+$/,
  /^whsec_\S+$/,
  /^[\w-]{60,}$/,
];

/** The values of the guide, and those of this run in their place. */
export class GuideValues {
  private readonly values = new Map<string, string>();

  /** @returns the text with the values of this run. */
  translate(text: string): string {
    return [...this.values].reduce((result, [written, drawn]) => result.replaceAll(written, drawn), text);
  }

  /** @returns what the guide's answer contains and this one lacks; learns the drawn values. */
  differences(written: unknown, actual: unknown, place = ''): string[] {
    if (Array.isArray(written)) {
      if (!Array.isArray(actual) || actual.length < written.length) return [`${place}: ${JSON.stringify(actual)}`];
      return written.flatMap((each, index) => this.differences(each, actual[index], `${place}[${index}]`));
    }
    if (typeof written === 'object' && written !== null) {
      if (typeof actual !== 'object' || actual === null) return [`${place}: ${JSON.stringify(actual)}`];
      const members = actual as Readonly<Record<string, unknown>>;
      return Object.entries(written).flatMap(([name, each]) =>
        this.differences(each, members[name], `${place}.${name}`),
      );
    }
    if (typeof written === 'string' && typeof actual === 'string') {
      if (DRAWN.some((form) => form.test(written) && form.test(actual))) this.values.set(written, actual);
      if (this.translate(written) === actual) return [];
    }
    return written === actual ? [] : [`${place}: ${JSON.stringify(actual)}`];
  }
}

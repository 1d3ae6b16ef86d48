import { BadRequestException, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import '../access/current-store.decorator.js';
import { isNameOf, readWords, type Parameter, type RawQuery } from './parameters.js';
import { parametersOf } from './query.js';

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;
/** RFC 7240: `Prefer: respond-async, handling=strict`. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

/**
 * Parameters that the route does not declare are probably misspelled: they are ignored and named in
 * `X-Ignored-Parameters`. An interceptor would do the same, but costs each read its observable.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const { apiKey, headers, query } = http.getRequest<FastifyRequest>();
    if (!apiKey) return true;
    const known = parametersOf(context.getHandler());
    const isKnown = (sent: string) => known.some((parameter) => isNameOf(parameter, sent));
    const names = Object.keys(query as object).filter((sent) => sent && !isKnown(sent));
    const isStrict = headers['prefer'] !== undefined && STRICT.test(String(headers['prefer']));
    if (isStrict) assertWords(known, query as RawQuery);
    if (names.length === 0) return true;
    const named = names.slice(0, MAX_NAMES).map(encodeName).join(', ');
    if (isStrict) throw new BadRequestException(`Unknown query parameter: ${named}`);
    http.getResponse<FastifyReply>().header('x-ignored-parameters', named);
    return true;
  }
}

function assertWords(parameters: readonly Parameter[], query: RawQuery): void {
  for (const { name, words } of parameters) {
    if (!words || query[name] === undefined) continue;
    const refusal = `${name} must be one of ${words.join(', ')}`;
    const given = readWords(refusal)([query[name]].flat()) ?? [];
    if (given.some((word) => !words.includes(word.toUpperCase()))) throw new BadRequestException(refusal);
  }
}

/** As ASCII without blanks, control characters and commas: the header stays a list of names. */
function encodeName(name: string): string {
  return encodeURIComponent([...name.toWellFormed()].slice(0, MAX_NAME_LENGTH).join(''));
}

import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import '../access/current-store.decorator.js';
import { FORMAT, isNameOf, readWords, type Parameter, type RawQuery } from './parameters.js';
import { formatOf } from './format.js';
import { parametersOf } from './query.js';
import { encodeName, ignoredNames, isStrict } from '../errors/strict-handling.js';
import { invalidField } from '../errors/invalid-fields.js';

/** Limits the parameters, because each is compared with each one of the route. */
const MAX_PARAMETERS = 200;

/**
 * Parameters that the route does not declare are probably misspelled: they are ignored and named in
 * `X-Ignored-Parameters`. An interceptor would do the same, but costs each read its observable.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!request.apiKey) return true;
    const query = request.query as RawQuery;
    const sent = Object.keys(query);
    if (sent.length > MAX_PARAMETERS) throw invalidField(`query must have at most ${MAX_PARAMETERS} parameters`);
    const known = parametersOf(context.getHandler());
    const format = known.includes(FORMAT) ? formatOf(request) : 'json';
    const hasEffect = (parameter: Parameter) => (parameter.format ?? format) === format;
    const isKnown = (name: string) => known.some((parameter) => isNameOf(parameter, name) && hasEffect(parameter));
    const ignored = sent.filter((name) => name && !isKnown(name));
    if (isStrict(request)) assertWords(known, query);
    const named = ignoredNames(request, 'query parameter', ignored.map(encodeName));
    if (named !== '') http.getResponse<FastifyReply>().header('x-ignored-parameters', named);
    return true;
  }
}

function assertWords(parameters: readonly Parameter[], query: RawQuery): void {
  for (const { name, words } of parameters) {
    if (!words || query[name] === undefined) continue;
    const refusal = `${name} must be one of ${words.join(', ')}`;
    const given = readWords(refusal)([query[name]].flat()) ?? [];
    if (given.some((word) => !words.includes(word.toUpperCase()))) throw invalidField(refusal);
  }
}

import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/**
 * Moves answers that several operations share, such as the one to a refused key, out of the operations, which then
 * refer to them. Successful answers stay in their operation, where readers look for them.
 */
export function shareResponses({ paths }: OpenAPIObject): Responses {
  const places = new Map<string, { readonly responses: Responses; readonly status: string }[]>();
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path as OperationsOfPath)))
    for (const [status, response] of Object.entries(responses)) {
      const same = `${status} ${JSON.stringify(response)}`;
      if (!status.startsWith('2')) places.set(same, [...(places.get(same) ?? []), { responses, status }]);
    }
  const shared: Responses = {};
  for (const [first, ...others] of places.values()) {
    if (!first || others.length === 0) continue;
    const name = unusedName(first.status, shared);
    shared[name] = first.responses[first.status] as Responses[string];
    for (const { responses, status } of [first, ...others])
      responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

type OperationsOfPath = Record<string, { readonly responses: Responses }>;

/** Returns `Forbidden`, then `Forbidden2`, and so on. */
function unusedName(status: string, used: Responses): string {
  const name = (STATUS_CODES[status] ?? status).replace(/\W/g, '');
  const before = Object.keys(used).filter((each) => each.replace(/\d+$/, '') === name).length;
  return before === 0 ? name : `${name}${before + 1}`;
}

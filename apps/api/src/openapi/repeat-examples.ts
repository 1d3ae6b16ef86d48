import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Tools that send requests look for examples outside the schemas, and Nest drops an example beside a schema. Not those
 * of headers: the page would fill in an Idempotency-Key.
 */
export function repeatExamples({ paths, components }: OpenAPIObject): void {
  const firstOf = (schema: unknown) =>
    (schema as { readonly examples?: readonly unknown[] } | undefined)?.examples?.[0];
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path as Record<string, object>))) {
    const { parameters = [], requestBody } = operation as Partial<NonNullable<OpenAPIObject['paths'][string]['get']>>;
    for (const parameter of parameters)
      if ('in' in parameter && parameter.in === 'path') parameter.example = firstOf(parameter.schema);
    const media = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
    if (media?.schema && '$ref' in media.schema)
      media.example = firstOf(components?.schemas?.[media.schema.$ref.split('/').at(-1) ?? '']);
  }
}

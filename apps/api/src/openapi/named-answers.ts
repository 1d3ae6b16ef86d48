import { ref, type SchemaObject } from '@app/representations';
import type { OpenAPIObject } from '@nestjs/swagger';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, { schema?: SchemaObject }> }>>;
}

/**
 * Moves answer schemas with a `title` to the components of the document: client generators name other schemas by
 * position, such as `InlineResponse20019`.
 * @returns the components.
 */
export function nameAnswers({ paths }: OpenAPIObject): Record<string, SchemaObject> {
  const named: Record<string, SchemaObject> = {};
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, Operation>));
  for (const { content = {} } of operations.flatMap(({ responses }) => Object.values(responses)))
    for (const media of Object.values(content)) {
      const { title, ...schema }: SchemaObject = media.schema ?? {};
      if (title === undefined) continue;
      named[title] = schema;
      media.schema = ref(title);
    }
  return named;
}

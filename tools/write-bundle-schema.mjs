// Writes the JSON Schema of the store bundle from the build to docs/.
import { writeFileSync } from 'node:fs';
import { publishedSchema } from '../dist/libs/bundles/src/bundle/schema/bundle-schema.js';

writeFileSync(
  new URL('../docs/store-bundle.schema.json', import.meta.url),
  `${JSON.stringify(publishedSchema(), null, 2)}\n`,
);

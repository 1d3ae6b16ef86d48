// Writes the schema of the store bundle, which the build has made, to docs/.
import { writeFileSync } from 'node:fs';
import { publishedSchema } from '../dist/libs/import/src/bundle/bundle-schema.js';

writeFileSync(
  new URL('../docs/store-bundle.schema.json', import.meta.url),
  `${JSON.stringify(publishedSchema(), null, 2)}\n`,
);

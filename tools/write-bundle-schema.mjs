// This program writes the JSON Schema of the store bundle from the build to docs/ and to the package that checks its
// lines by it.
import { writeFileSync } from 'node:fs';
import { publishedSchema } from '../dist/libs/bundles/src/bundle/schema/bundle-schema.js';

for (const folder of ['docs', 'packages/catalog-converter']) {
  writeFileSync(
    new URL(`../${folder}/store-bundle.schema.json`, import.meta.url),
    `${JSON.stringify(publishedSchema(), null, 2)}\n`,
  );
}

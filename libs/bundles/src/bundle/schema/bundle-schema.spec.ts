import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { publishedSchema } from './bundle-schema.js';

const docs = join(__dirname, '../../../../../docs');
const published = JSON.parse(readFileSync(join(docs, 'store-bundle.schema.json'), 'utf8')) as object;

describe('docs/store-bundle.schema.json', () => {
  it('equals the schema by which the importer checks lines (npm run generate)', () => {
    expect(published).toEqual(publishedSchema());
  });

  it('is also the schema of the catalog converter', () => {
    const copy = join(docs, '../packages/catalog-converter/store-bundle.schema.json');

    expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual(published);
  });

  it("passes a strict JSON Schema validator and accepts the documentation's example", () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(published);
    const example = readFileSync(join(docs, 'store-bundle.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"kind"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(example.map((line) => validate(line))).toEqual(Array(9).fill(true));
    expect(example.map((line) => validate({ ...line, misspelled: 1 }))).toEqual(Array(9).fill(false));
    expect(example.map((line) => validate({ ...line, kind: 'shop' }))).toEqual(Array(9).fill(false));
  });
});

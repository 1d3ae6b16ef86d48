import { IMPORT_SCOPES, type ImportKind } from '@app/application';
import { IMPORT_LINES } from '@app/bundles';
import { ImportRefused } from '@app/domain';
import {
  ImportResult,
  object,
  optional,
  ref,
  type NamedSchema,
  type ResourceDocumentation,
} from '@app/representations';
import { Type } from '@sinclair/typebox';
import { bundleSchema } from '../openapi/bundle-schema.js';
import { ApiWrite } from '../openapi/endpoints.js';
import { MAX_IMPORT_LINES } from './import.request.js';
import { invalidField } from '../errors/invalid-fields.js';

const KINDS = Object.keys(IMPORT_SCOPES) as ImportKind[];

const nameOf = (kind: ImportKind) =>
  `Import${kind.replace(/(?:^|_)[a-z]/g, (begin) => begin.replace('_', '').toUpperCase())}`;

const references = KINDS.map((kind) => [kind, ref(nameOf(kind))] as const);

const SCHEMAS: readonly NamedSchema[] = [
  ...KINDS.map((kind) => ({ name: nameOf(kind), schema: bundleSchema(IMPORT_LINES[kind]) })),
  {
    name: 'ImportLine',
    schema: Type.Unsafe<unknown>({
      oneOf: references.map(([, reference]) => reference),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(references.map(([kind, { $ref }]) => [kind, $ref as string])),
      },
    }),
  },
  {
    name: 'ImportRequest',
    schema: object({
      atomic: optional(
        Type.Boolean({ default: false, description: 'Whether nothing changes when one line is refused.' }),
      ),
      lines: Type.Array(ref('ImportLine'), {
        minItems: 1,
        maxItems: MAX_IMPORT_LINES,
        description: 'Lines of the store bundle without `store`. A line may refer to earlier ones.',
      }),
    }),
  },
];

export const IMPORT_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Import',
  description: "Writes the catalog, customers and a till's sales.",
  schemas: [...SCHEMAS, ImportResult],
};

export const ApiImport = ApiWrite({
  operationId: 'importLines',
  summary: 'Import bundle lines',
  description:
    'Lines of the store bundle, as JSON or as NDJSON (`application/x-ndjson`), of at most 2 MB: given fields ' +
    'replace, absent fields keep their values. A refused line does not affect the others. One transaction; a repeated request finds all lines ' +
    '`unchanged`. Each kind needs its scope: `catalog` for warehouses, bins, brands, categories, products and prices, `customers` for ' +
    'customers, `sales` for orders.',
  of: ImportResult,
  body: {
    schema: ref('ImportRequest'),
    example: {
      lines: [{ kind: 'product', slug: 'runner', name: 'Runner', price: '79.90', status: 'ACTIVE' }],
    },
  },
  answer: { status: 200, description: 'The result of each line. A refused line does not fail the request.' },
  failures: [
    invalidField(`lines must have 1 to ${MAX_IMPORT_LINES} entries`),
    new ImportRefused([{ path: 'line 1', message: 'brand "globex" is not known' }]),
  ],
});

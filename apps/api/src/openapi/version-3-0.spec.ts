import { inVersion30 } from './version-3-0.js';

const inOlder = (schema: object) => {
  const paths = { '/': { get: { security: [{ bearer: ['orders'] }], schema: { $ref: '#/components/schemas/A' } } } };
  const components = { schemas: { A: schema, B: { type: 'object' } } };
  const document = { openapi: '3.1.0', paths, webhooks: { b: { $ref: '#/components/schemas/B' } }, components };
  return inVersion30(JSON.stringify(document)) as typeof document;
};

describe('the document in OpenAPI 3.0', () => {
  it('has neither webhooks nor what only they refer to, and scopes of no key', () => {
    const { openapi, paths, ...others } = inOlder({ type: 'string' });

    expect(openapi).toBe('3.0.3');
    expect(paths['/'].get.security).toEqual([{ bearer: [] }]);
    expect(others).toEqual({ components: { schemas: { A: { type: 'string' } } } });
  });

  it.each([
    [
      'a type or null',
      { type: ['string', 'null'], format: 'uuid' },
      { type: 'string', format: 'uuid', nullable: true },
    ],
    [
      'a schema or null',
      { description: 'A', anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
      { description: 'A', type: 'integer', minimum: 1, nullable: true },
    ],
    [
      'a reference or null',
      { description: 'A', oneOf: [{ $ref: '#/components/schemas/B' }, { type: 'null' }] },
      { description: 'A', type: 'object', allOf: [{ $ref: '#/components/schemas/B' }], nullable: true },
    ],
    [
      'several schemas',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'several schemas or null',
      { description: 'A', anyOf: [{ type: 'number' }, { type: 'string' }, { type: 'null' }] },
      {
        description: 'A',
        anyOf: [
          { type: 'number', nullable: true },
          { type: 'string', nullable: true },
        ],
      },
    ],
    ['names of members', { type: 'object', propertyNames: { maxLength: 40 } }, { type: 'object' }],
    ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
    ['a constant flag', { type: 'boolean', enum: [true] }, { type: 'boolean' }],
    ['words', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
    [
      'required fields, of which one may be null',
      { required: ['a', 'b'], properties: { a: { type: ['string', 'null'] }, b: { type: 'string' } } },
      { required: ['b'], properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } } },
    ],
    [
      'alternatives that require fields of the schema around them',
      { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ],
    [
      'required fields that may all be null',
      { required: ['type'], properties: { type: { type: ['string', 'null'] } } },
      { properties: { type: { type: 'string', nullable: true } } },
    ],
    [
      'fields with the names of keywords',
      { properties: { examples: { type: 'string' }, required: { type: 'boolean' }, enum: { type: 'string' } } },
      { properties: { examples: { type: 'string' }, required: { type: 'boolean' }, enum: { type: 'string' } } },
    ],
  ])('describes %s', (_, schema, expected) => {
    expect(inOlder(schema).components.schemas.A).toEqual(expected);
  });
});

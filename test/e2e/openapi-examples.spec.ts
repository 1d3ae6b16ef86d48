import { PIPELINE_STAGES } from '@app/application';
import { Order } from '../../apps/api/src/orders/order.response.js';
import { committedDocument, DocumentedAnswers } from '../support/documented-answers.js';

/** Members with an amount of money. `total` is missing: it is an amount in orders and a number of rows in lists. */
const MONEY = /amount$|price$|^line_total$|^subtotal$|_spent$/;

type Node = Readonly<Record<string, unknown>>;

describe('the examples of the OpenAPI document', () => {
  const document = committedDocument();
  const answers = new DocumentedAnswers(document);

  /** Every object of the document with its path. */
  function* nodes(value: unknown = document, place: readonly string[] = []): Generator<[Node, readonly string[]]> {
    if (typeof value !== 'object' || value === null) return;
    yield [value as Node, place];
    for (const [key, member] of Object.entries(value)) {
      if (key !== 'examples') yield* nodes(member, [...place, key]);
    }
  }
  const valuesOf = (examples: unknown): unknown[] =>
    Array.isArray(examples) ? examples : Object.values(examples as Record<string, Node>).map(({ value }) => value);

  it('cover every answer, parameter and header', () => {
    const answersAndMore = [...nodes()].filter(([, place]) => {
      const [name, parent, above] = [...place].reverse();
      const isPart = name === 'schema' && ['parameters', 'headers'].includes(above ?? '');
      return isPart || (name === 'application/json' && parent === 'content' && above !== 'requestBody');
    });

    expect(answersAndMore.length).toBeGreaterThan(100);
    for (const [node, place] of answersAndMore)
      expect([place, valuesOf(node['examples'] ?? [])]).not.toEqual([place, []]);
  });

  it('match their schemas', () => {
    for (const [node, place] of nodes()) {
      if (node['examples'] === undefined) continue;
      const schema = 'schema' in node ? [...place, 'schema'] : place;
      for (const value of valuesOf(node['examples'])) {
        expect([place, answers.faults(schema, value)]).toEqual([place, []]);
      }
    }
  });

  it('are also beside the schemas of bodies and path parameters, where tools that send requests look', () => {
    const sent = [...nodes()].filter(
      ([node, place]) =>
        (place.at(-2) === 'parameters' && node['in'] === 'path') ||
        (place.at(-1) === 'application/json' && place.includes('requestBody')),
    );

    expect(sent.length).toBeGreaterThan(5);
    for (const [node, place] of sent) {
      const [example] = [node['example'] ?? [], ...valuesOf(node['examples'] ?? [])].flat();
      expect([place, answers.faults([...place, 'schema'], example)]).toEqual([place, []]);
    }
  });

  it('show an order with every stage and with an unchanged updated_at', () => {
    const { pipeline, created_at, updated_at } = Order.example;

    expect(pipeline.map(({ stage }) => stage)).toEqual(PIPELINE_STAGES);
    expect(updated_at).toBe(created_at);
  });

  it('fail the check when they do not match their schema', () => {
    const schema = ['components', 'schemas', 'Pagination'];

    expect(answers.faults(schema, { total: '137', page: 1, limit: 50, more: true })).toEqual([
      ' must NOT have additional properties',
      '/total must be integer',
    ]);
  });
});

describe('every amount of money in the OpenAPI document', () => {
  it('has its unit in its description', () => {
    const units = new Map<string, string | undefined>();
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, member] of Object.entries(schema as Record<string, Node | null>)) {
        if (MONEY.test(name)) units.set(name, /In (minor|major) units/.exec(String(member?.['description']))?.[1]);
        visit(member);
      }
    };
    visit(Object.values((committedDocument() as unknown as { components: { schemas: object } }).components.schemas));

    expect(Object.fromEntries(units)).toEqual({
      amount: 'minor',
      total_amount: 'minor',
      unit_price: 'minor',
      line_total: 'minor',
      total_spent: 'minor',
      price: 'major',
      subtotal: 'major',
    });
  });
});

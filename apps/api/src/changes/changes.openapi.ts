import { CursorExpired, CursorInvalid } from '@app/application';
import { applyDecorators } from '@nestjs/common';
import { ref } from '../openapi/components.js';
import { ApiRead, SUCCESS } from '../openapi/endpoints.js';
import { ApiParameters, LIMIT } from '../openapi/parameters.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { flag, object, text } from '../openapi/schema.js';
import { CHANGE, type ChangeResponse } from './change.response.js';
import { CHANGES_PARAMETERS } from './changes.query.js';
import type { ChangesEnvelope } from './changes-envelope.js';

const Change: Representation<ChangeResponse> = {
  name: 'Change',
  schema: CHANGE,
  example: { kind: 'products', id: '70', deleted: true, at: '2026-11-20T09:30:01.120Z', data: null },
};

const CURSOR = 'MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0';

export const CHANGES_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Changes',
  description: 'What changed in the store: for a full export, and to follow it afterwards.',
  schemas: [Change],
};

const ENVELOPE = object<ChangesEnvelope>({
  success: SUCCESS,
  data: { type: 'array', items: ref(Change.name) },
  cursor: text('Where the next request begins. Opaque. Store it with the data.', CURSOR),
  has_more: flag('Whether there is more now. Repeat with the cursor until it is false.'),
  rewound: flag(
    'Whether the service lost changes that you have read, by a restore or a fail-over. The feed then begins again: ' +
      'delete what does not come again until `has_more` is false.',
  ),
});

export const ApiListChanges = () =>
  applyDecorators(
    ApiParameters([...CHANGES_PARAMETERS, LIMIT]),
    ApiRead(
      {
        operationId: 'listChanges',
        summary: 'What changed since a cursor',
        description:
          'The newest state of each resource that changed, once, in the order of the changes. Nothing is ever inserted ' +
          'before a cursor. `data` is the full record, as the route of the resource returns it; of a SKU, its row in the ' +
          'list of SKUs. Prices of products and SKUs are in major units, amounts of orders and customers in minor ' +
          'units. Without a cursor, the feed begins with everything: a full export and following the store are the same loop. Cursors do not ' +
          'expire, but deletions are known for 90 days: a cursor that has not been used for longer returns 400 with ' +
          '`cursor_expired` when there were any. With `Accept: application/x-ndjson` the answer has everything: a line ' +
          'for each change and, after at most 100 of them, a line `{ "cursor", "has_more", "rewound" }`. Continue an ' +
          'answer that broke off from the last cursor in it.',
        failures: [new CursorExpired(), new CursorInvalid()],
      },
      ENVELOPE,
      { success: true, data: [Change.example], cursor: CURSOR, has_more: false, rewound: false },
    ),
  );

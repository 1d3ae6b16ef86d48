import { CursorExpired, CursorInvalid } from '@app/application';
import { DELETION_RETENTION_DAYS } from '@app/domain';
import * as is from '@app/representations';
import { CHANGE_SCHEMAS, type ChangeResponse, type ResourceDocumentation, SkuListItem } from '@app/representations';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { answer, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import { TWO_STARTS } from './feed.query.js';

const EXAMPLES: readonly ChangeResponse[] = [
  { kind: 'skus', id: '70-12', deleted: false, at: '2026-11-20T09:30:01.080Z', data: SkuListItem.example },
  { kind: 'products', id: '71', deleted: true, at: '2026-11-20T09:30:01.120Z', data: null },
];

const PROGRESS = is.object({
  cursor: is.text(
    'Start of the next request. Opaque. Store the cursor of every response together with its data.',
    'MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0',
  ),
  has_more: is.flag('Whether more changes are available now. Repeat with the cursor until it is false.'),
  rewound: is.flag(
    'Whether the service lost changes that you have read, by a restore or a fail-over. The feed then begins again with ' +
      'the entries of this page; later pages of the same read have false. Persist this flag across restarts, and ' +
      'compare your copy with what has come when `has_more` is false.',
  ),
});

export const CHANGES_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Changes',
  description: 'Changes of the store: for a full export, and to follow it afterwards.',
  schemas: CHANGE_SCHEMAS,
};

export const ApiListChanges = applyDecorators(
  ApiParameters,
  ApiRead(
    {
      operationId: 'listChanges',
      summary: 'List changes since a cursor',
      description:
        'The newest state of each resource that changed, once, in the order of the changes. Nothing is ever inserted ' +
        'before a cursor. `data` is the full record, as the route of the resource returns it; of a SKU, its row in the ' +
        'list of SKUs. Prices of products and SKUs are in major units, amounts of orders and customers in minor ' +
        'units. Without a cursor, the feed begins with everything: a full export and following the store are the same ' +
        `loop. Cursors do not expire, but deletions are known for ${DELETION_RETENTION_DAYS} days: a cursor whose place is older returns 400 ` +
        'with `cursor_expired` when there were any after it, even if it was used a moment before, and so does `from`. Store ' +
        'the cursor of every answer, also of an empty one: changes of other kinds move it on. A page ends ' +
        'early when its changes exceed about 0.5 MB.',
      failures: [new BadRequestException(TWO_STARTS), new CursorExpired(), new CursorInvalid()],
    },
    {
      schema: answer('ChangePage', { data: Type.Array(is.ref('Change')), ...PROGRESS.properties }),
      example: { success: true, data: EXAMPLES, ...is.exampleOf(PROGRESS) },
    },
  ),
);

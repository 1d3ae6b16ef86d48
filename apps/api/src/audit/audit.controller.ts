import {
  AUDIT_ACTIONS,
  AuditLog,
  CursorInvalid,
  decodeAuditCursor,
  encodeAuditCursor,
  type AuditFilter,
} from '@app/application';
import * as is from '@app/representations';
import { AuditEntry, toAuditEntry } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { exactFilter, lastOf, LIMIT, timeFilter, wordFilter, type Parameter } from '../query/parameters.js';
import { queryOf, ReadQuery, type ValuesOf } from '../query/query.js';

const CURSOR: Parameter<string | undefined> = {
  name: 'cursor',
  description:
    'The `cursor` of the previous page, with the same filters. The example shows only the format: the service ' +
    'refuses it with 400 `cursor_invalid`.',
  schema: { type: 'string', examples: ['YTEuMS4xNzYzNjMxMDAwMDAwLjAxOWExYzI'] },
  read: lastOf,
};

const QUERY = queryOf<AuditFilter & { readonly cursor?: string; readonly limit: number }>({
  from: timeFilter('from', 'Only what happened at this time or later.'),
  to: timeFilter('to', 'Only what happened before this time.'),
  actor: exactFilter('actor', 'the id of the key or the person, or the type of another actor', 'operator'),
  action: wordFilter('action', 'action', AUDIT_ACTIONS, 'key.created'),
  subject: exactFilter('subject', 'the id or code of the subject', '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c'),
  cursor: CURSOR,
  limit: LIMIT,
});

const PROGRESS = is.object({
  cursor: is.text('Where the next page begins. Opaque. `""` if the first page is empty.', 'YTEuMS4xNzYzNjMxMDAwMDAw'),
  has_more: is.flag('Whether there is a next page.'),
});

/** Not every key may see who has access and from where, so the read needs the scope as well. */
@Controller('v1/audit')
@Documented({ tag: 'Audit', description: 'Who changed what, and when.', schemas: [AuditEntry] })
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  @NeedsScope('settings')
  @ApiParameters
  @ApiRead(
    {
      operationId: 'listAudit',
      summary: 'Who changed what, newest first',
      description:
        'Changes of keys, people, sign-ins, prices, price lists, imports, webhooks and settings, and exports and erasures of ' +
        'personal data. Kept for 400 days.',
      failures: [new CursorInvalid()],
    },
    {
      schema: answer('AuditPage', { data: Type.Array(is.ref(AuditEntry.name)), ...PROGRESS.properties }),
      example: { success: true, data: [AuditEntry.example], ...is.exampleOf(PROGRESS) },
    },
  )
  async list(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { cursor, limit, ...filter }: ValuesOf<typeof QUERY>,
  ) {
    const after = cursor === undefined ? null : decodeAuditCursor(cursor, store.id);
    const { rows, hasMore } = await this.audit.list(store.id, filter, { limit, ...(after && { after }) });
    const last = rows.at(-1);
    return {
      success: true,
      data: rows.map(toAuditEntry),
      cursor: last ? encodeAuditCursor(store.id, last.place) : (cursor ?? ''),
      has_more: hasMore,
    };
  }
}

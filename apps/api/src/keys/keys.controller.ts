import { actorOf, ApiKeysService, type ApiKeyLookup, type ApiKeyReference, type ApiKeyStatus } from '@app/application';
import { NotFound, readUuid } from '@app/domain';
import { JsonLogger } from '@app/infrastructure';
import { toKeyUse, toNewKey, toRolledKey, toStoreKey } from '@app/representations';
import { BadRequestException, Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentKey } from '../access/current-store.decorator.js';
import { logAccess } from '../access/log-access.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsRecentSignIn, NeedsScope } from '../openapi/needs-scope.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import { integerFilter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import * as docs from './keys.openapi.js';
import * as request from './keys.request.js';

const LIST = listQuery({});
const USE = listQuery<{ days: number | undefined }>({
  days: integerFilter('days', 'The number of days, including today; 7 by default.', { min: 1, max: 366 }),
});

/** Not every key may see who can use the store, so reads need the scope as well. */
@Controller('v1/keys')
@Documented(docs.KEYS_DOCUMENTATION)
export class KeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly logger: JsonLogger,
  ) {}

  @Get()
  @NeedsScope('keys')
  @docs.ApiListKeys
  async list(@CurrentKey() asker: ApiKeyLookup, @ReadQuery(LIST) { page }: ValuesOf<typeof LIST>) {
    const { rows, total } = await this.keys.list(asker, page);
    return list(rows.map(toStoreKey), total, page);
  }

  @Get('usage')
  @NeedsScope('keys')
  @docs.ApiListKeyUse
  async listUse(@CurrentKey() asker: ApiKeyLookup, @ReadQuery(USE) { filter, page }: ValuesOf<typeof USE>) {
    const { rows, total } = await this.keys.listUsage(asker, filter.days ?? 7, page);
    return list(rows.map(toKeyUse), total, page);
  }

  @Post()
  @NeedsRecentSignIn('keys')
  @docs.ApiCreateKey
  async create(
    @CurrentKey() asker: ApiKeyLookup,
    @IdempotencyKey() repeated: string | null,
    @Body(StrictBodyPipe) body: request.CreateKeyRequest,
  ) {
    refuseRepeats(repeated);
    const spec = request.toApiKeySpec(body, asker.mode);
    const created = await this.keys.create(asker.store.id, spec, makerOf(asker));
    this.log('created', created.id, asker);
    return single(toNewKey(created));
  }

  @Post(':id/roll')
  @NeedsRecentSignIn('keys')
  @docs.ApiRollKey
  async roll(
    @CurrentKey() asker: ApiKeyLookup,
    @IdempotencyKey() repeated: string | null,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: request.RollKeyRequest,
  ) {
    refuseRepeats(repeated);
    const key = referenceOf(asker, id);
    const { overlapMs, expiresAt } = request.toRoll(body);
    const rolled = await this.keys.roll(key, overlapMs, expiresAt, makerOf(asker));
    this.log('rolled', key.id, asker);
    return single(toRolledKey(key.id, rolled));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @NeedsRecentSignIn('keys')
  @docs.ApiRevokeKey
  revoke(@CurrentKey() asker: ApiKeyLookup, @Param('id') id: string) {
    return this.change(asker, id, 'REVOKED');
  }

  @Post(':id/deactivate')
  @HttpCode(200)
  @NeedsRecentSignIn('keys')
  @docs.ApiDeactivateKey
  deactivate(@CurrentKey() asker: ApiKeyLookup, @Param('id') id: string) {
    return this.change(asker, id, 'DEACTIVATED');
  }

  @Post(':id/activate')
  @HttpCode(200)
  @NeedsRecentSignIn('keys')
  @docs.ApiActivateKey
  activate(@CurrentKey() asker: ApiKeyLookup, @Param('id') id: string) {
    return this.change(asker, id, 'ACTIVE');
  }

  private async change(asker: ApiKeyLookup, id: string, status: ApiKeyStatus) {
    const changed = await this.keys.setStatus(referenceOf(asker, id), status, makerOf(asker));
    this.log(DONE[status], changed.id, asker);
    return single(toStoreKey(changed));
  }

  private log(what: string, keyId: string, asker: ApiKeyLookup): void {
    logAccess(this.logger, `API key ${what}`, asker, { key_id: keyId });
  }
}

const DONE: Readonly<Record<ApiKeyStatus, string>> = {
  ACTIVE: 'activated',
  DEACTIVATED: 'deactivated',
  REVOKED: 'revoked',
};

const makerOf = (key: ApiKeyLookup) => ({ key, actor: actorOf(key) });

function referenceOf({ store }: ApiKeyLookup, text: string): ApiKeyReference {
  const id = readUuid(text);
  if (id === null) throw new NotFound('Key');
  return { storeId: store.id, id };
}

/**
 * Refuses an idempotency key: its sender expects the same answer to a repeat, but the service stores no text of a key.
 */
function refuseRepeats(key: string | null): void {
  if (key !== null) throw new BadRequestException(docs.NOT_REPEATABLE);
}

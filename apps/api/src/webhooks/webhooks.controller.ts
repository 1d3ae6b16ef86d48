import { originOf, WebhooksService, type ApiKeyLookup, type WebhookReference } from '@app/application';
import { NotFound, readUuid } from '@app/domain';
import { toWebhookListItem, toWebhookResponse, toWebhookWithSecret } from '@app/representations';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentKey } from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { RequestHash } from '../body/request-hash.js';
import { listPage, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import * as docs from './webhooks.openapi.js';
import * as request from './webhooks.request.js';

const QUERY = listQuery({});

/** Not every key may see URLs and answers of receivers, so reads need the scope as well. */
@Controller('v1/webhooks')
@Documented(docs.WEBHOOKS_DOCUMENTATION)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @NeedsScope('webhooks')
  @docs.ApiListWebhooks
  async list(@CurrentKey() { store, mode }: ApiKeyLookup, @ReadQuery(QUERY) { page }: ValuesOf<typeof QUERY>) {
    const webhooks = await this.webhooks.list(store.id, mode);
    return listPage(webhooks.map(toWebhookListItem), page);
  }

  @Post()
  @NeedsScope('webhooks')
  @docs.ApiCreateWebhook
  async create(
    @CurrentKey() asker: ApiKeyLookup,
    @IdempotencyKey() key: string | null,
    @RequestHash() requestHash: Buffer,
    @Body(StrictBodyPipe) body: request.CreateWebhookRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { store, mode } = asker;
    const settings = { storeId: store.id, mode, ...request.toWebhook(body) };
    const idempotency = key === null ? null : { scope: { storeId: store.id, mode, key }, requestHash };
    const { isReplay, ...created } = await this.webhooks.create(settings, originOf(asker), idempotency);
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return single(toWebhookWithSecret(created));
  }

  @Get(':id')
  @NeedsScope('webhooks')
  @docs.ApiShowWebhook
  async show(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string) {
    return single(toWebhookResponse(await this.webhooks.find(referenceOf(key, id))));
  }

  @Patch(':id')
  @NeedsScope('webhooks')
  @docs.ApiChangeWebhook
  async change(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: request.ChangeWebhookRequest,
  ) {
    return single(
      toWebhookResponse(await this.webhooks.configure(referenceOf(key, id), request.toSettings(body), originOf(key))),
    );
  }

  @Post(':id/test')
  @HttpCode(200)
  @NeedsScope('webhooks')
  @docs.ApiTestWebhook
  async test(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string) {
    return single(toWebhookResponse(await this.webhooks.change(referenceOf(key, id), { kind: 'test' }, originOf(key))));
  }

  @Post(':id/pause')
  @HttpCode(200)
  @NeedsScope('webhooks')
  @docs.ApiPauseWebhook
  async pause(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string) {
    return single(
      toWebhookResponse(await this.webhooks.change(referenceOf(key, id), { kind: 'pause' }, originOf(key))),
    );
  }

  @Post(':id/resume')
  @HttpCode(200)
  @NeedsScope('webhooks')
  @docs.ApiResumeWebhook
  async resume(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string) {
    return single(
      toWebhookResponse(await this.webhooks.change(referenceOf(key, id), { kind: 'resume' }, originOf(key))),
    );
  }

  @Post(':id/replay')
  @HttpCode(200)
  @NeedsScope('webhooks')
  @docs.ApiReplayWebhook
  async replay(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: request.ReplayWebhookRequest,
  ) {
    return single(
      toWebhookResponse(
        await this.webhooks.replayFrom(referenceOf(key, id), request.toReplayStart(body), originOf(key)),
      ),
    );
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @NeedsScope('webhooks')
  @docs.ApiRotateWebhookSecret
  async rotateSecret(
    @CurrentKey() key: ApiKeyLookup,
    @Param('id') id: string,
    @Body(StrictBodyPipe) body: request.RotateSecretRequest,
  ) {
    const rotated = await this.webhooks.rotateSecret(referenceOf(key, id), request.toOverlapMs(body), originOf(key));
    return single(toWebhookWithSecret(rotated));
  }

  @Delete(':id')
  @NeedsScope('webhooks')
  @docs.ApiDeleteWebhook
  async delete(@CurrentKey() key: ApiKeyLookup, @Param('id') id: string) {
    return single(toWebhookResponse(await this.webhooks.delete(referenceOf(key, id), originOf(key))));
  }
}

function referenceOf({ store, mode }: ApiKeyLookup, text: string): WebhookReference {
  const id = readUuid(text);
  if (id === null) throw new NotFound('Webhook');
  return { storeId: store.id, id, mode };
}

import { CHANGE_KINDS, type ChangeKind } from '@app/application';
import { MAX_SECRET_OVERLAP_MS, MAX_WEBHOOK_BATCH, WEBHOOK_BODIES, type WebhookBody } from '@app/domain';
import { BadRequestException } from '@nestjs/common';
import * as is from '../body/fields.js';

const HOUR_MS = 3_600_000;
const PRESET_OVERLAP_HOURS = 24;

export class CreateWebhookRequest {
  @is.RequiredTextField({ max: 2000, description: 'Where messages are sent: https, without credentials, not private.' })
  url!: string;

  @is.WordsField({ words: CHANGE_KINDS, description: 'The kinds of resources. Absent: all.' })
  kinds?: ChangeKind[] | null;

  @is.OptionalWordField({
    words: WEBHOOK_BODIES,
    default: 'thin',
    description: 'What a message says of a resource: which one changed, or its record as well.',
  })
  body?: WebhookBody | null;

  @is.IntegerOrNullField({
    min: 1,
    max: MAX_WEBHOOK_BATCH,
    default: 1,
    description: 'The maximum number of changes per message. Above 1, messages have another form: `WebhookBatch`.',
  })
  batch?: number | null;
}

export class ReplayWebhookRequest {
  @is.TextField({ max: 2000, description: 'Of a message, or of the webhook: sends again what changed after it.' })
  cursor?: string | null;

  @is.TimestampField({ description: 'Instead of `cursor`: sends again what changed at or after this time.' })
  from?: string | null;
}

export class RotateSecretRequest {
  @is.IntegerOrNullField({
    min: 0,
    max: MAX_SECRET_OVERLAP_MS / HOUR_MS,
    default: PRESET_OVERLAP_HOURS,
    description: 'How long the old secret signs as well.',
  })
  overlap_hours?: number | null;
}

/** A cursor belongs to its kinds in their own order. */
export function toWebhook({ url, kinds, body, batch }: CreateWebhookRequest) {
  return {
    url,
    kinds: CHANGE_KINDS.filter((kind) => kinds?.includes(kind) ?? true),
    body: body ?? ('thin' as const),
    batch: batch ?? 1,
  };
}

export function toReplayStart({ cursor, from }: ReplayWebhookRequest): string | Date {
  const start = [cursor ?? [], from ? new Date(from) : []].flat();
  if (start.length !== 1 || start[0] === undefined)
    throw new BadRequestException('the body must have either cursor or from');
  return start[0];
}

export function toOverlapMs({ overlap_hours }: RotateSecretRequest): number {
  return (overlap_hours ?? PRESET_OVERLAP_HOURS) * HOUR_MS;
}

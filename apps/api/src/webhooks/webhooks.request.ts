import { CHANGE_KINDS, type ChangeKind, type WebhookSettings } from '@app/application';
import {
  MAX_SECRET_OVERLAP_MS,
  MAX_WEBHOOK_BATCH,
  MAX_WEBHOOK_NAME,
  WEBHOOK_BODIES,
  type WebhookBody,
} from '@app/domain';
import { BadRequestException } from '@nestjs/common';
import * as is from '../body/fields.js';

const HOUR_MS = 3_600_000;
const PRESET_OVERLAP_HOURS = 24;
const PRESET = { name: '', body: 'thin', batch: 1 } as const;
const DESCRIPTION = {
  url: 'Where messages are sent: https, without credentials, not private.',
  name: 'A name for people.',
  kinds: 'The kinds of resources.',
  body: 'Content of a message: `thin` names the changed resource, `full` contains its record.',
  batch: 'The maximum number of changes per message. Above 1, messages have another form: `WebhookBatch`.',
};

export class CreateWebhookRequest {
  @is.RequiredTextField({ max: 2000, description: DESCRIPTION.url })
  url!: string;

  @is.TextField({ max: MAX_WEBHOOK_NAME, description: DESCRIPTION.name })
  name?: string | null;

  @is.WordsField({ words: CHANGE_KINDS, description: `${DESCRIPTION.kinds} Absent: all.` })
  kinds?: ChangeKind[] | null;

  @is.OptionalWordField({ words: WEBHOOK_BODIES, default: PRESET.body, description: DESCRIPTION.body })
  body?: WebhookBody | null;

  @is.IntegerOrNullField({ min: 1, max: MAX_WEBHOOK_BATCH, default: PRESET.batch, description: DESCRIPTION.batch })
  batch?: number | null;
}

export class ChangeWebhookRequest {
  @is.TextField({ max: 2000, description: `${DESCRIPTION.url} Removes the headers that are not given with it.` })
  url?: string | null;

  @is.TextField({ max: MAX_WEBHOOK_NAME, description: DESCRIPTION.name })
  name?: string | null;

  @is.WordsField({ words: CHANGE_KINDS, description: `${DESCRIPTION.kinds} null: all.` })
  kinds?: ChangeKind[] | null;

  @is.OptionalWordField({ words: WEBHOOK_BODIES, description: DESCRIPTION.body })
  body?: WebhookBody | null;

  @is.IntegerOrNullField({ min: 1, max: MAX_WEBHOOK_BATCH, description: DESCRIPTION.batch })
  batch?: number | null;

  @is.HeadersField({
    description: 'Fixed headers of each message, by name, such as `Authorization`. They replace all earlier ones.',
  })
  headers?: Record<string, string> | null;
}

export class ReplayWebhookRequest {
  @is.TextField({ max: 2000, description: 'Of a message, or of the webhook: resends the changes after it.' })
  cursor?: string | null;

  @is.TimestampField({ description: 'Instead of `cursor`: resends the changes at or after this time.' })
  from?: string | null;
}

export class RotateSecretRequest {
  @is.IntegerOrNullField({
    min: 0,
    max: MAX_SECRET_OVERLAP_MS / HOUR_MS,
    default: PRESET_OVERLAP_HOURS,
    description: 'How long the old secret also signs.',
  })
  overlap_hours?: number | null;
}

export function toWebhook({ url, name, kinds, body, batch }: CreateWebhookRequest) {
  return {
    url,
    name: name ?? PRESET.name,
    kinds: inOrder(kinds),
    body: body ?? PRESET.body,
    batch: batch ?? PRESET.batch,
  };
}

/** Absent fields keep their value; null has the same meaning as at creation. */
export function toSettings({ url, name, kinds, body, batch, headers }: ChangeWebhookRequest): WebhookSettings {
  return {
    ...(typeof url === 'string' && { url }),
    ...(name !== undefined && { name: name ?? PRESET.name }),
    ...(kinds !== undefined && { kinds: inOrder(kinds) }),
    ...(body !== undefined && { body: body ?? PRESET.body }),
    ...(batch !== undefined && { batch: batch ?? PRESET.batch }),
    ...(headers !== undefined && { headers: headers ?? {} }),
  };
}

/** Sorts the kinds, because a cursor belongs to a set of kinds in a fixed sequence. */
function inOrder(kinds?: readonly ChangeKind[] | null): readonly ChangeKind[] {
  return CHANGE_KINDS.filter((kind) => kinds?.includes(kind) ?? true);
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

import { readNetwork, type ApiKeySpec } from '@app/application';
import { parseApiKeyScope, WRITE_SCOPES, type ApiKeyMode } from '@app/domain';
import * as is from '../body/fields.js';
import { invalidField } from '../errors/invalid-fields.js';

const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 90 * 24;
const END = 'Expiry of the new key. Absent: never, or the expiry of the key of the request.';

export class CreateKeyRequest {
  @is.NameField({ isRequired: true, description: 'For people.' })
  name!: string;

  @is.OptionalWordField({ words: ['live', 'test'], description: 'Absent: that of the request.' })
  mode?: ApiKeyMode | null;

  @is.RequiredWordsField({
    words: ['full', 'read', ...WRITE_SCOPES, 'pricing', 'keys', 'settings'],
    description: 'Scopes: `full` alone, or words. `read` is always included.',
  })
  scope!: string[];

  @is.NetworksField({
    description: 'Allowed networks. Absent: any, or the networks of the key of the request.',
  })
  networks?: string[] | null;

  @is.FutureTimeField({ description: END })
  expires_at?: string | null;
}

export class RollKeyRequest {
  @is.IntegerField({ min: 0, max: MAX_OVERLAP_HOURS, description: 'How long the old key still works; 0 ends it now.' })
  overlap_hours!: number;

  @is.FutureTimeField({
    description:
      'Expiry of the new key; null: never. Absent: the lifetime of the old key, from the roll on, at ' +
      'most until the expiry of the key of the request.',
  })
  expires_at?: string | null;
}

/** @param asker the mode of the key that sends the request, which is the default. */
export function toApiKeySpec({ name, mode, scope, networks, expires_at }: CreateKeyRequest, asker: ApiKeyMode) {
  const parsed = parseApiKeyScope(scope.join());
  if (parsed === null) throw invalidField('scope must be full alone, or scopes other than full');
  const spec: ApiKeySpec = {
    name: name.trim(),
    mode: mode ?? asker,
    scope: parsed,
    trusted: false,
    networks: networks?.flatMap((network) => readNetwork(network).network ?? []) ?? null,
    expiresAt: toEnd(expires_at),
  };
  return spec;
}

export function toRoll({ overlap_hours, expires_at }: RollKeyRequest) {
  return { overlapMs: overlap_hours * HOUR_MS, expiresAt: expires_at === undefined ? undefined : toEnd(expires_at) };
}

function toEnd(time?: string | null): Date | null {
  return time ? new Date(time) : null;
}

import { ApiKeyNotActive, CommitOutcomeUnknown, ExceedsMaker } from '@app/application';
import { NotFound, TooManyKeys } from '@app/domain';
import { KeyUse, NewKey, RolledKey, StoreKey, type ResourceDocumentation } from '@app/representations';
import { applyDecorators } from '@nestjs/common';
import { ApiList, ApiPath, ApiWrite } from '../openapi/endpoints.js';
import { CreateKeyRequest, RollKeyRequest } from './keys.request.js';
import { invalidField } from '../errors/invalid-fields.js';

export const NOT_REPEATABLE =
  'Idempotency-Key is not accepted: responses that contain an API key are not stored. If a response is lost, revoke the newest key of the list and send the request again';

export const KEYS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Keys',
  description:
    'The API keys of the store, with the scope `keys`. The key of a machine reaches the keys of its mode, and a key ' +
    'gets at most what its maker has.',
  schemas: [StoreKey, NewKey, RolledKey, KeyUse],
};

const KEY = ApiPath({ name: 'id', description: 'UUID of the key.', example: StoreKey.example.id });
const LOST = new CommitOutcomeUnknown(null);
const EXCESS = new ExceedsMaker('scope must not contain stock: the allowed scopes are read, orders');
const FULL = new TooManyKeys(5_000);
const NOT_ACTIVE = new ApiKeyNotActive('The key is revoked, which is final: create a new key');

export const ApiListKeys = ApiList({
  operationId: 'listKeys',
  summary: 'The API keys of the store',
  description: 'Oldest first, without their texts, which are not stored. Sessions of people are not among them.',
  of: StoreKey,
});

export const ApiListKeyUse = ApiList({
  operationId: 'listKeyUse',
  summary: 'Requests and refusals by key and day',
  description:
    'Latest day first, then the busiest key. The last minute may be missing. Days without requests are omitted.',
  of: KeyUse,
});

export const ApiCreateKey = ApiWrite({
  operationId: 'createKey',
  summary: 'Create a key',
  description:
    'Only this response contains the `key`. It gets at most the scope of its creator. Created by an API key, it also gets the ' +
    'same mode, at most the same networks and expiry, and never `keys`. A request with an Idempotency-Key is refused: after a ' +
    'lost response, revoke the newest key of the list and create another.',
  of: NewKey,
  body: { type: CreateKeyRequest, example: { name: 'ERP', scope: ['orders', 'stock'] } },
  answer: { status: 201, description: 'The new key.' },
  failures: [invalidField('scope must be full alone, or scopes other than full'), EXCESS, FULL, LOST],
});

export const ApiRollKey = applyDecorators(
  KEY,
  ApiWrite({
    operationId: 'rollKey',
    summary: 'Roll a key',
    description:
      'The new key has the mode, scope, networks, trust and name of the old one, which works until the overlap has passed ' +
      'or its own earlier end. Its rights are bounded as those of a new key. A key has one successor: revoke a lost one, ' +
      'and roll again. A request with an Idempotency-Key is refused.',
    of: RolledKey,
    body: { type: RollKeyRequest, example: { overlap_hours: 168 } },
    answer: { status: 201, description: 'The new key, and when the old one ends.' },
    failures: [
      invalidField('overlap_hours must be an integer from 0 to 2160'),
      new NotFound('Key'),
      NOT_ACTIVE,
      EXCESS,
      FULL,
      LOST,
    ],
  }),
);

type Change = Pick<Parameters<typeof ApiWrite>[0], 'operationId' | 'summary' | 'description' | 'failures'>;

const ApiChange = ({ failures = [], ...operation }: Change) =>
  applyDecorators(
    KEY,
    ApiWrite({
      ...operation,
      of: StoreKey,
      answer: { status: 200, description: 'The key after the change.' },
      failures: [...failures, new NotFound('Key'), EXCESS, LOST],
    }),
  );

export const ApiRevokeKey = ApiChange({
  operationId: 'revokeKey',
  summary: 'Revoke a key',
  description: 'It is refused permanently, from the next request of every process on.',
});

export const ApiDeactivateKey = ApiChange({
  operationId: 'deactivateKey',
  summary: 'Deactivate a key',
  description: 'It is refused until it is activated, from the next request of every process on.',
  failures: [NOT_ACTIVE],
});

export const ApiActivateKey = ApiChange({
  operationId: 'activateKey',
  summary: 'Activate a key',
  description: 'It is accepted again, until its end. Its rights are bounded as those of a new key.',
  failures: [NOT_ACTIVE],
});

import 'reflect-metadata';

// Applications of other teams import these: the start, and what the controllers of the service are made of.
export { createApp } from './create-app.js';
export { runApi } from './run-api.js';
export { CurrentKey, CurrentStore, type CurrentStoreContext } from './access/current-store.decorator.js';
export { ReceivesRaw } from './access/receives-raw.js';
export { Public, WritesNothing } from './access/route-access.js';
export { NeedsScope } from './openapi/needs-scope.js';
export { BodyPipe } from './body/body.pipe.js';
export * from './body/fields.js';
export * from '@app/representations';
export { list, single, type ListEnvelope, type SingleEnvelope } from './envelope.js';
export { AuthenticationError } from './errors/request-errors.js';
export { Documented } from './openapi/documented.js';
export { ApiList, ApiPath, ApiSingle, ApiWrite } from './openapi/endpoints.js';
export { ApiFailures } from './openapi/failures.js';
export * from './query/parameters.js';
export { listQuery, queryOf, ReadQuery, type ValuesOf } from './query/query.js';

import 'reflect-metadata';

// For applications of other teams: the start, and what the controllers of the service are made of.
export { createApp } from './create-app.js';
export { runApi } from './run-api.js';
export { CurrentKey, CurrentStore, type CurrentStoreContext } from './auth/current-store.decorator.js';
export { Public, WritesNothing } from './auth/route-access.js';
export { list, single, type ListEnvelope, type SingleEnvelope } from './envelope.js';
export { Documented } from './openapi/documented.js';
export { ApiList, ApiSingle } from './openapi/endpoints.js';
export { ApiFailures } from './openapi/failures.js';
export type { Representation, ResourceDocumentation } from './openapi/resource.js';
export * from './openapi/schema.js';

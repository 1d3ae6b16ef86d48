export * from './bundle/bundle-importer.js';
export { KINDS_IN_ORDER, publishedSchema } from './bundle/schema/bundle-schema.js';
export * from './bundle/schema/bundle.js';
export * from './bundle/check/faults.js';
export { isSubdomain } from './bundle/schema/vocabulary.js';
export * from './export/write-store-export.js';

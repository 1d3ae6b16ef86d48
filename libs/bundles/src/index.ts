export * from './bundle/bundle-importer.js';
export * from './bundles.module.js';
export { IMPORT_LINES, KINDS_IN_ORDER, published, publishedSchema } from './bundle/schema/bundle-schema.js';
export { checkSettings } from './bundle/check/check-line.js';
export { SETTINGS } from './bundle/schema/store-line.js';
export { parseJson } from './bundle/read/line-batches.js';
export * from './bundle/schema/bundle.js';
export * from './bundle/check/faults.js';
export * from './export/write-store-export.js';

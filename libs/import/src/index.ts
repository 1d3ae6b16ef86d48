export * from './bundle/bundle-importer.js';
export { publishedSchema } from './bundle/bundle-schema.js';
export * from './bundle/bundle.js';
export * from './bundle/faults.js';
export * from './bundle/import-counts.js';
export { isSubdomain } from './bundle/vocabulary.js';
export * from './catalog/catalog-importer.js';
export type * from './catalog/catalog-report.js';
export * from './export/write-store-export.js';

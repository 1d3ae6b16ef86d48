export * from './access/key-errors.js';
export * from './failures.js';
export * from './feed/cursor-errors.js';
export * from './request-errors.js';

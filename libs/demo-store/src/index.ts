export * from './demo-store.js';

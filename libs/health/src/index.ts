export * from './health.module.js';
export * from './health-report.js';
export { Readiness } from './indicators.js';
export * from './status-server.js';

export * from './health.module.js';
export * from './health-report.js';
export * from './readiness.js';
export * from './status-server.js';

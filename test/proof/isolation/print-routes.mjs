import { createApp } from '../../../dist/apps/api/src/create-app.js';
import { Config } from '../../../dist/libs/infrastructure/src/index.js';

// Starts the build like main.ts but without listening, and prints the routes of its router.
const url = process.env.DATABASE_URL;
const app = await createApp(new Config({ DATABASE_URL: url, LOG_LEVEL: 'silent', PIPELINE: 'off' }), url);
await app.init();
const fastify = app.getHttpAdapter().getInstance();
await fastify.ready();
process.stdout.write(fastify.printRoutes({ commonPrefix: false }));
await app.close();

import { createApp } from '../../../dist/apps/api/src/create-app.js';
import { Config } from '../../../dist/libs/infrastructure/src/index.js';

// Starts the build like main.ts but without listening, and prints the routes of its router.
const url = process.env.DATABASE_URL;
// The key is arbitrary: nothing is encrypted, and a key file would go to the developer's `.data`.
const DATA_ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');
const config = new Config({ DATABASE_URL: url, DATA_ENCRYPTION_KEYS, LOG_LEVEL: 'silent', PIPELINE: 'off' });
const app = await createApp(config, url);
await app.init();
const fastify = app.getHttpAdapter().getInstance();
await fastify.ready();
process.stdout.write(fastify.printRoutes({ commonPrefix: false }));
await app.close();

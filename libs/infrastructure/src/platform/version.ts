import { readFileSync } from 'node:fs';
import { PROJECT_ROOT } from './project-root.js';

const manifest = readFileSync(new URL('package.json', PROJECT_ROOT), 'utf8');

export const { version: VERSION } = JSON.parse(manifest) as { version: string };

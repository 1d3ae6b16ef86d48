import { Schema1764000000001 } from './0001-schema.js';

/** In order. A migration that was released is never edited: a change is a new one. */
export const MIGRATIONS = [Schema1764000000001];

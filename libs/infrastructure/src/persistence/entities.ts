/** Every TypeORM table mapping. */
export const ENTITIES = [];

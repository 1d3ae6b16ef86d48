/** The greatest value of a PostgreSQL integer: ids and quantities are 32-bit. */
export const MAX_INT4 = 2_147_483_647;

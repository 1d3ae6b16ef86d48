const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The id that a client, an operator or a file names: in lower case, the only form that is compared, and that seals what is
 * encrypted. Some clients write capitals.
 *
 * @param text with hyphens, of any version, in either case. @returns null for another text.
 */
export function readUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

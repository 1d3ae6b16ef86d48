/**
 * Whether `If-None-Match` names a tag. RFC 9110 (13.1.2): `*`, or a list of tags, compared weakly. A search for the tag
 * with its quotes costs less than a list of 15,000 parts.
 */
export function matchesTag(ifNoneMatch = '', tag: string): boolean {
  return ifNoneMatch === '*' || ifNoneMatch.includes(tag.replace(/^W\//, ''));
}

const LIST = /^[\t ,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(?:,[\t ,]*|$))*$/;

/**
 * Whether `If-None-Match` names a tag. RFC 9110 (13.1.2): `*`, or a list of tags, compared weakly; anything else names
 * none. A search for the tag with its quotes costs less than a list of 15,000 parts.
 */
export function matchesTag(ifNoneMatch = '', tag: string): boolean {
  return ifNoneMatch === '*' || (ifNoneMatch.includes(tag.replace(/^W\//, '')) && LIST.test(ifNoneMatch));
}

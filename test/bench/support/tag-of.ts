/** The `ETag` of an address. @throws Error when it has none. */
export async function tagOf(url: string, key: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  const tag = response.headers.get('etag');
  if (tag === null) throw new Error(`${url} has no tag: ${response.status}`);
  return tag;
}

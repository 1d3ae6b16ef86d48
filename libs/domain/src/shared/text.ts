/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

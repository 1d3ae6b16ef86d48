/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Control characters, line breaks of all kinds, bidirectional marks, halves of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

export const MAX_DISPLAY_NAME = 200;

/** A name for people, of a key or of a person: on one line, and not blank. */
export function isDisplayName(text: string): boolean {
  return text.trim() !== '' && Array.from(text).length <= MAX_DISPLAY_NAME && !CONTROL.test(text);
}

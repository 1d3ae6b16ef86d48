/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether the database can store `text`, and counts at most `max` characters: code points. */
export function isText(text: string, max: number): boolean {
  // Most texts are short enough to skip the count.
  return isStorable(text) && (text.length <= max || [...text].length <= max);
}

/** Control characters, line breaks of all kinds, bidirectional controls, halves of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/** What shows nothing by itself. Joiners and variation selectors are part of names in some scripts, and of emoji. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

export const MAX_DISPLAY_NAME = 200;

/** A name for people, of a key or of a person: on one line, with something to see. */
export function isDisplayName(text: string): boolean {
  return text.replace(INVISIBLE, '') !== '' && isText(text, MAX_DISPLAY_NAME) && !CONTROL.test(text);
}

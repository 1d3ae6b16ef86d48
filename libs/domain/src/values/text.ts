/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether the database can store `text`, and it has at most `max` code points. */
export function isText(text: string, max: number): boolean {
  // Most texts are short enough to skip the count.
  return isStorable(text) && (text.length <= max || [...text].length <= max);
}

/** Matches control characters, line breaks of all kinds, bidirectional controls, and lone surrogates. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * Matches characters that are invisible on their own. Joiners and variation selectors are part of names in some
 * scripts, and of emoji.
 */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

export const MAX_DISPLAY_NAME = 200;

/** Whether the text can name a key or a person: it is on one line and has a visible character. */
export function isDisplayName(text: string): boolean {
  return text.replace(INVISIBLE, '') !== '' && isText(text, MAX_DISPLAY_NAME) && !CONTROL.test(text);
}

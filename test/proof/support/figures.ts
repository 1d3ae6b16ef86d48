/** The figures of a run, which semicolons separate. A semicolon inside brackets is part of its figure. */
export function figuresOf(text: string): string[] {
  return text.split(/; (?![^(]*\))/);
}

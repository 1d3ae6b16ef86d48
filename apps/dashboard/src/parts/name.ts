/** A name inside a sentence: letters that run from right to left do not turn the words around it. */
export const alone = (name: string): string => `\u2068${name || 'without a name'}\u2069`;

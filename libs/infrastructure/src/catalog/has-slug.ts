import { Raw, type FindOperator } from 'typeorm';

/** SQL by which slugs are the same in any letter case of A to Z. An index has the same expression. */
export function slugKey(slug: string): string {
  return `lower(${slug} COLLATE "C")`;
}

/** Folds a slug like the key of PostgreSQL: no version of Node or of an operating system folds another letter. */
export function folded(slug: string): string {
  return slug.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** SQL for whether a slug is the given one. */
export function hasSlug(column: string, given: string): string {
  return `${slugKey(column)} = ${slugKey(`${given}::text`)}`;
}

/** Finds entities by their slug. */
export function slugIs(slug: string): FindOperator<string> {
  return Raw((column) => hasSlug(column, ':slug'), { slug }) as FindOperator<string>;
}

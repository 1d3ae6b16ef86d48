import { Raw, type FindOperator } from 'typeorm';

/** SQL for the comparable form of a slug: the letters A to Z match in any case. An index has the same expression. */
export function slugKey(slug: string): string {
  return `lower(${slug} COLLATE "C")`;
}

/** Folds a slug exactly as PostgreSQL does: no version of Node or of an operating system folds another letter. */
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

import type { OrderFacts } from './order-facts.js';
import type { StoreBranding } from './store-branding.js';

/** The content of a message, before its layout as text or HTML. Every text in it is a single, unescaped line. */
export interface Letter {
  readonly order: OrderFacts;
  readonly store: StoreBranding;
  /** Warnings that the reader must not miss. */
  readonly notices: readonly string[];
  readonly intro: readonly string[];
  /** Whether it shows the order lines with their prices, and the totals. */
  readonly hasPrices: boolean;
  /** Shown last; an empty section is skipped. */
  readonly sections: readonly LetterSection[];
}

export interface LetterSection {
  readonly title: string;
  readonly lines: readonly string[];
  /** An http or https address, shown after the lines. */
  readonly link?: string | null;
}

/** The store's details at the foot of a message. */
export function footer({ name, address, phone, email, website }: StoreBranding): string[] {
  return [name, ...address, phone, email, website ?? ''].filter((line) => line !== '');
}

/** The sections with at least one line or a link. */
export function filledSections({ sections }: Letter): LetterSection[] {
  return sections.filter(({ lines, link }) => lines.length > 0 || link);
}

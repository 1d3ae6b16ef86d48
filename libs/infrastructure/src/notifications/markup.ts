/** Text that is already HTML. */
export class Markup {
  constructor(readonly html: string) {}
}

type Insertion = string | number | Markup | readonly Markup[];

/**
 * An HTML template. It escapes every inserted text, for content and for quoted attributes alike; only the output of
 * another template is inserted unchanged.
 */
export function markup(template: TemplateStringsArray, ...insertions: readonly Insertion[]): Markup {
  return new Markup(String.raw({ raw: template }, ...insertions.map(toHtml)));
}

/** The part when the condition holds, otherwise nothing. */
export function when(condition: boolean, part: () => Markup): Markup {
  return condition ? part() : new Markup('');
}

function toHtml(insertion: Insertion): string {
  if (insertion instanceof Markup) return insertion.html;
  return typeof insertion === 'object' ? insertion.map(({ html }) => html).join('') : escapeHtml(String(insertion));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

/** Text that is HTML already. */
export class Markup {
  constructor(readonly html: string) {}
}

type Insertion = string | number | Markup | readonly Markup[];

/**
 * A template of HTML. Every text put into it is escaped, for content and for quoted attributes alike; only what came
 * out of such a template goes in as it is.
 */
export function markup(template: TemplateStringsArray, ...insertions: readonly Insertion[]): Markup {
  return new Markup(String.raw({ raw: template }, ...insertions.map(toHtml)));
}

/** The part if the condition holds, nothing otherwise. */
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

import type { JSX } from 'preact';

interface ChoicesProps {
  readonly label: string;
  readonly name: string;
  /** The word that is chosen at first; none where it must be chosen. */
  readonly begin?: string;
  /** Each word, and what it means where that is a text. */
  readonly of: Readonly<Record<string, string | number>>;
}

/** One of a few, all of them in view. */
export function Choices({ label, name, begin, of }: ChoicesProps): JSX.Element {
  const hasHints = Object.values(of).some((hint) => typeof hint === 'string');
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class={hasHints ? 'choices' : 'actions'}>
        {Object.entries(of).map(([word, hint]) => (
          <label key={word} class="tick">
            <input type="radio" name={name} value={word} required defaultChecked={word === begin} />
            <span>
              {word}
              {hasHints && <small>{hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

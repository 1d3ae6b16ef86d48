import type { JSX } from 'preact';

type Tone = 'good' | 'wait' | 'bad' | 'info' | 'quiet';

const TONES: Readonly<Record<string, Tone>> = {
  SUCCEEDED: 'good',
  DELIVERED: 'good',
  SHIPPED: 'info',
  PENDING: 'wait',
  CONFIRMED: 'wait',
  PROCESSING: 'wait',
  FAILED: 'bad',
  REFUNDED: 'quiet',
  done: 'good',
  active: 'good',
  ACTIVE: 'good',
  delivered: 'good',
  shipped: 'info',
  picking: 'wait',
  pending: 'wait',
  held: 'bad',
  dead: 'bad',
  review: 'bad',
};

const WORDS: Readonly<Record<string, string>> = { SUCCEEDED: 'paid', dead: 'failed', done: 'sent', held: 'waits' };

/** A state. @param word what stands there instead of the state. */
export function Badge({ state, word, tone }: { state: string; word?: string | undefined; tone?: Tone }): JSX.Element {
  return (
    <span class="badge" data-tone={tone ?? TONES[state] ?? 'quiet'}>
      {word ?? WORDS[state] ?? state.toLowerCase().replaceAll('_', ' ')}
    </span>
  );
}

export const PaymentBadge = ({ state }: { state: string }): JSX.Element => (
  <Badge state={state} word={state === 'PENDING' ? 'unpaid' : undefined} />
);

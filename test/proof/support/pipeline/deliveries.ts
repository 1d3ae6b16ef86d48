import type { ReceivedMail, SmtpSink } from '../../../support/smtp-sink.js';
import type { Interruption } from './worker-crew.js';

/** Longest time between the server's acceptance and the stage's "done", on a busy machine. */
const MARKING_MS = 3_000;

export interface Doubles {
  /** Arrivals beyond the first per id. */
  readonly count: number;
  /** Those that neither a lost answer nor a worker's end explains. */
  readonly unexplained: readonly string[];
}

/**
 * Mails that arrived more than once. The promise is at least once; a repetition needs a reason: the sender never
 * received the acceptance, or it was killed or lost its database before it could mark the stage done.
 */
export function doublesOf(sink: SmtpSink, interruptions: readonly Interruption[]): Doubles {
  const last = new Map<string, ReceivedMail>();
  const unexplained: string[] = [];
  let count = 0;
  for (const mail of sink.mails) {
    const before = last.get(mail.messageId);
    last.set(mail.messageId, mail);
    if (!before) continue;
    count++;
    const taken = before.at.getTime();
    const interrupted = interruptions.some(({ from, to }) => taken >= from - MARKING_MS && taken <= to);
    if (sink.unconfirmed.has(before) || interrupted) continue;
    unexplained.push(`mail ${mail.messageId} arrived again ${mail.at.getTime() - taken} ms after its acceptance`);
  }
  return { count, unexplained };
}

import { decodeCursor, type ChangeKind } from '@app/application';
import { Webhook } from 'standardwebhooks';
import type { Answer, ReceivedRequest } from '../../support/https-receiver.js';
import type { TestDatabase } from '../../support/test-database.js';

const SHOWN = 5;

interface Told {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly deleted: boolean;
}

interface Message {
  readonly type: string;
  readonly data: Told & { readonly cursor: string; readonly changes?: readonly Told[] };
}

export class Endpoint {
  readonly violations: string[] = [];
  accepted = 0;
  refused = 0;
  /** The secrets that must sign each message, newest first. */
  secrets: string[] = [];
  id = '';
  private readonly newest = new Map<string, { readonly position: number; readonly deleted: boolean }>();
  private readonly places: number[] = [];
  private inFlight = 0;

  /** @param decide returns the answer to a message that counts; anything but 200 refuses it. */
  constructor(
    readonly name: string,
    private readonly storeId: number,
    private readonly decide: () => Answer | Promise<Answer>,
  ) {}

  async receive(request: ReceivedRequest): Promise<Answer> {
    const message = JSON.parse(request.body) as Message;
    this.verify(request);
    if (++this.inFlight > 1) this.violations.push(`${this.name}: ${this.inFlight} messages at a time`);
    let isInFlight = true;
    const end = () => {
      if (isInFlight) this.inFlight--;
      isInFlight = false;
    };
    void request.closed.then(end);
    const answer = await this.decide();
    // The next message may come before this server has noticed the end of its answer.
    if (typeof answer === 'object') end();
    const isAccepted = typeof answer === 'object' && answer.status === 200;
    if (!isAccepted) this.refused++;
    // A receiver that cuts or hangs may have stored the message: it counts, and comes again.
    else this.take(message);
    return answer;
  }

  told(kind: string, id: string): { readonly position: number; readonly deleted: boolean } | undefined {
    return this.newest.get(`${kind} ${id}`);
  }

  private take({ data }: Message): void {
    this.accepted++;
    const { position } = decodeCursor(data.cursor, { storeId: this.storeId, mode: 'live' });
    // A kill repeats the last message, and the one before it if that was just being recorded.
    const kept = this.places.findLastIndex((place) => place < position) + 1;
    if (this.places.length - kept > 2)
      this.violations.push(`${this.name}: place ${position} after ${this.places.at(-1)}`);
    this.places.splice(kept, Infinity, position);
    for (const { kind, id, deleted } of data.changes ?? [data]) {
      const known = this.newest.get(`${kind} ${id}`);
      if (known && known.position > position) continue;
      this.newest.set(`${kind} ${id}`, { position, deleted });
    }
  }

  private verify({ body, headers }: ReceivedRequest): void {
    for (const [index, secret] of this.secrets.entries()) {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch (error) {
        const which = index === 0 ? 'newest' : 'old';
        this.violations.push(`${this.name}: the ${which} secret does not verify: ${(error as Error).message}`);
      }
    }
  }
}

/** Compares what each endpoint received with the feed: every change after its beginning, in its newest state. */
export async function missedChanges(
  database: TestDatabase,
  storeId: number,
  endpoints: readonly Endpoint[],
): Promise<string[]> {
  const rows = await database.query<{ id: string; kind: string; entity: string; position: string; deleted: boolean }>(
    `SELECT webhooks.id, kind, entity, changes.position, deleted
     FROM webhooks JOIN changes USING (store_id) WHERE store_id = $1 AND kind = ANY (kinds) AND NOT EXISTS (
       SELECT FROM orders WHERE orders.store_id = $1 AND orders.id::text = entity AND is_test)`,
    [storeId],
  );
  return endpoints.flatMap((endpoint) => {
    const faults = rows
      .filter(({ id }) => id === endpoint.id)
      .flatMap(({ kind, entity, position, deleted }) => {
        const told = endpoint.told(kind, entity);
        if (!told || told.position < Number(position)) return `${endpoint.name}: was not told of ${kind} ${entity}`;
        return told.deleted === deleted ? [] : `${endpoint.name}: was told a wrong state of ${kind} ${entity}`;
      });
    return faults.length > SHOWN ? [...faults.slice(0, SHOWN), `${endpoint.name}: ${faults.length} in all`] : faults;
  });
}

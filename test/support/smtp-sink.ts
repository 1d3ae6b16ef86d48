import { EventEmitter, once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** At `delivered` the server has taken the message but not confirmed it, so that the sender sends it again. */
export type SinkBehaviour =
  | { readonly kind: 'accept' }
  | { readonly kind: 'refuse'; readonly at: 'recipient' | 'message'; readonly code: number }
  | { readonly kind: 'slow'; readonly at: 'greeting' | 'message' | 'delivered'; readonly ms: number }
  | { readonly kind: 'hang' | 'cut'; readonly at: 'greeting' | 'message' | 'delivered' };

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  readonly raw: string;
  readonly smtpUtf8: boolean;
  readonly at: Date;
}

/** A sender keeps its connection open for further messages. One that closes this soon has not read the answer. */
const LEAVING_MS = 20;

export class SmtpSink extends EventEmitter<{ mail: [ReceivedMail] }> {
  readonly mails: ReceivedMail[] = [];
  /** All recipients that senders named, accepted or not. */
  readonly recipients: string[] = [];
  /** Accepted mails whose sender got no confirmation, because it died or was cut off. It has to send them again. */
  readonly unconfirmed = new Set<ReceivedMail>();
  readonly blocked = new Set<string>();
  connections = 0;
  behaviour: SinkBehaviour = { kind: 'accept' };
  private readonly sockets = new Set<Socket>();
  private readonly unanswered = new Set<SMTPServerSession>();
  private readonly server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: (session, callback) => this.answer('greeting', session, callback),
    onRcptTo: ({ address }, _session, callback) => {
      this.recipients.push(address);
      callback(this.blocked.has(address) ? refusedWith(550, address) : this.refusal('recipient', address));
    },
    onData: (stream, session, callback) => {
      const take = (raw: string) => {
        this.unanswered.add(session);
        this.answer('message', session, () => {
          this.unanswered.delete(session);
          const refusal = this.refusal('message', session.envelope.rcptTo[0]?.address ?? '');
          if (refusal) return callback(refusal);
          const mail = this.keep(raw, session);
          this.answer('delivered', session, () => {
            callback();
            // A busy process reads a message before it notices that the sender was killed.
            setTimeout(() => {
              if (this.socketsOf(session).length > 0) this.unconfirmed.delete(mail);
            }, LEAVING_MS).unref();
          });
        });
      };
      // A sender that is killed while it sends leaves half a message.
      void text(stream).then(take, () => undefined);
    },
  });

  static async start(port = 0): Promise<SmtpSink> {
    const sink = new SmtpSink();
    sink.server.on('error', () => undefined);
    sink.server.server.on('connection', (socket: Socket) => {
      sink.connections++;
      sink.sockets.add(socket.once('close', () => sink.sockets.delete(socket)));
    });
    await once(sink.server.listen(port, '127.0.0.1'), 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  get waiting(): number {
    return [...this.unanswered].filter((session) => this.socketsOf(session).length > 0).length;
  }

  get countsByMessageId(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { messageId } of this.mails) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
    return counts;
  }

  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private refusal(at: 'recipient' | 'message', address: string): Error | null {
    const { behaviour } = this;
    if (behaviour.kind !== 'refuse' || behaviour.at !== at) return null;
    return refusedWith(behaviour.code, address);
  }

  private answer(at: 'greeting' | 'message' | 'delivered', session: SMTPServerSession, proceed: () => void): void {
    const { behaviour } = this;
    if (behaviour.kind === 'accept' || behaviour.kind === 'refuse' || behaviour.at !== at) return proceed();
    if (behaviour.kind === 'slow') return void setTimeout(proceed, behaviour.ms);
    if (behaviour.kind === 'hang') return;
    this.socketsOf(session).forEach((socket) => socket.destroy());
  }

  private socketsOf({ remotePort }: SMTPServerSession): Socket[] {
    return [...this.sockets].filter((socket) => socket.remotePort === remotePort);
  }

  private keep(raw: string, { envelope }: SMTPServerSession): ReceivedMail {
    const messageId = /^message-id:\s*<([^>]*)>/im.exec(raw)?.[1] ?? '';
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    const to = envelope.rcptTo.map(({ address }) => address);
    const mail = { from, to, messageId, raw, smtpUtf8: envelope.smtpUtf8 === true, at: new Date() };
    this.mails.push(mail);
    this.unconfirmed.add(mail);
    this.emit('mail', mail);
    return mail;
  }
}

/** Quotes the address, as mail servers do. */
function refusedWith(responseCode: number, address: string): Error {
  return Object.assign(new Error(`no, <${address}>`), { responseCode });
}

import { Notifier } from '@app/application';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Provided } from '../platform/provided.js';
import { Database } from '../postgres/database.js';
import { MailNotifier } from './mail-notifier.js';
import { NotificationChannels } from './notification-channels.js';

@Module({ providers: [MailNotifier], exports: [MailNotifier, Notifier] })
export class MailModule {
  /** @param channels the channels of an extension by name, which are notified of every order in addition to mail. */
  static on(channels: Readonly<Record<string, Provided<Notifier>>>): DynamicModule {
    if ('mail' in channels) throw new Error('Channel mail: the service has a channel of this name');
    const own = Object.entries(channels).map(([name, channel]) => ({ provide: `channel ${name}`, ...channel }));
    const names = ['mail', ...Object.keys(channels)];
    return {
      module: MailModule,
      providers: [
        ...own,
        {
          provide: Notifier,
          useFactory: (database: Database, ...notifiers: [Notifier, ...Notifier[]]) =>
            own.length === 0
              ? notifiers[0]
              : new NotificationChannels(database, new Map(notifiers.map((each, index) => [names[index] ?? '', each]))),
          inject: [Database, MailNotifier, ...own.map(({ provide }) => provide)],
        },
      ],
    };
  }
}

import { actorOf, type ApiKeyLookup } from '@app/application';
import type { JsonLogger } from '@app/infrastructure';

/** Logs a change of who may use the store. @param ids the ids of what was changed. */
export function logAccess(logger: JsonLogger, what: string, asker: ApiKeyLookup, ids: Record<string, string>): void {
  const { type, id } = actorOf(asker);
  logger.write('info', what, { store_id: asker.store.id, ...ids, actor_type: type, actor_id: id });
}

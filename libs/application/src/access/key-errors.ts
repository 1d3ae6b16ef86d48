import { domainError } from '@app/domain';

/** The current state of the key does not allow to roll or activate it. */
export const ApiKeyNotActive = domainError('rejected', 'api_key_not_active', (problem: string) => problem);
/**
 * The key would grant more than its maker has, or the key or session of the maker has ended or lost permissions.
 * Nothing changes.
 */
export const ExceedsMaker = domainError('rejected', 'exceeds_maker', (excess: string) => excess);

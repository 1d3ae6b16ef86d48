import { domainError } from '@app/domain';

/** The current state of the key does not allow to roll or activate it. */
export const ApiKeyNotActive = domainError('rejected', 'api_key_not_active', (problem: string) => problem);
/** A key grants at most what its maker has. A maker who has lost access changes nothing. */
export const ExceedsMaker = domainError('rejected', 'exceeds_maker', (excess: string) => excess);

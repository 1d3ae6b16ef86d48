import { type FraudRule, WEAK_SCORE } from '@app/domain';

const FORWARDERS: ReadonlySet<string> = new Set(['97230', '33166']);

/** Addresses of parcel forwarders: honest people use them too, so one such sign alone changes nothing. */
export const forwardedParcel: FraudRule = {
  name: 'forwarded_parcel',
  score: WEAK_SCORE,
  fires: ({ signals }) => FORWARDERS.has(signals.address.zip),
};

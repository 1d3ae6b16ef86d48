import { type FraudRule, WEAK_SCORE } from 'store-commerce/domain';

const FORWARDERS: ReadonlySet<string> = new Set(['97230', '33166']);

/** Fires for addresses of parcel forwarders. Honest customers use them too, so this sign alone changes nothing. */
export const forwardedParcel: FraudRule = {
  name: 'forwarded_parcel',
  score: WEAK_SCORE,
  looksAt: ['address'],
  fires: ({ signals }) => FORWARDERS.has(signals.address.zip),
};

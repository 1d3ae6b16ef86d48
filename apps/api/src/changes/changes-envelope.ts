import type { ChangeResponse } from './change.response.js';

/** Where a reader continues. */
export interface FeedProgress {
  readonly cursor: string;
  readonly has_more: boolean;
  readonly rewound: boolean;
}

/** The body of a page of the feed. */
export interface ChangesEnvelope extends FeedProgress {
  readonly success: true;
  readonly data: readonly ChangeResponse[];
}

import { type Clock, createLruMap, createRateLimiter, type RateLimiter } from '@rxlet/component-base';
import { createPartyLimit } from './party-limit.ts';

/** Bounds the reviews of tokens, which clients without any permission cause. */
export interface ReviewBudget {
  /** Takes a review for a client of this address group, until the returned function is called; `undefined` when it is one too many. */
  take(party: string): (() => void) | undefined;
}

/** Reviews a second and at once. One scraper needs one of them in two minutes. */
const TOTAL = { perSecond: 20, burst: 40 };
/** Likewise for one address group, so that a client with wrong tokens does not use up those of others. */
const PER_PARTY = { perSecond: 5, burst: 10 };
/** Reviews that wait for the API server. */
const MAX_IN_FLIGHT = 40;
const MAX_IN_FLIGHT_PER_PARTY = 10;
/** Address groups with a bucket of their own. */
const PARTIES = 1024;

/** Creates a {@link ReviewBudget}. */
export function createReviewBudget(clock: Pick<Clock, 'monotonicNow'>): ReviewBudget {
  const inFlight = createPartyLimit(MAX_IN_FLIGHT, MAX_IN_FLIGHT_PER_PARTY);
  const total = createRateLimiter(clock, TOTAL.perSecond, TOTAL.burst);
  const rates = createLruMap<RateLimiter>(PARTIES);
  const rateOf = (party: string): RateLimiter => {
    const known = rates.get(party);
    if (known !== undefined) return known;
    const created = createRateLimiter(clock, PER_PARTY.perSecond, PER_PARTY.burst);
    rates.set(party, created);
    return created;
  };
  return {
    take(party) {
      const release = inFlight.begin(party);
      if (release === undefined) return undefined;
      if (rateOf(party).tryAcquire() && total.tryAcquire()) return release;
      release();
      return undefined;
    },
  };
}

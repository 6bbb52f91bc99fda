import { type Clock, createLruMap, createRateLimiter, type RateLimiter } from '@rxlet/component-base';

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

interface Party {
  readonly rate: RateLimiter;
  inFlight: number;
}

/** Creates a {@link ReviewBudget}. */
export function createReviewBudget(clock: Pick<Clock, 'monotonicNow'>): ReviewBudget {
  const total = createRateLimiter(clock, TOTAL.perSecond, TOTAL.burst);
  const parties = createLruMap<Party>(PARTIES);
  let inFlight = 0;
  return {
    take(name) {
      let party = parties.get(name);
      if (party === undefined) {
        party = { rate: createRateLimiter(clock, PER_PARTY.perSecond, PER_PARTY.burst), inFlight: 0 };
        parties.set(name, party);
      }
      const taken = party;
      if (inFlight >= MAX_IN_FLIGHT || taken.inFlight >= MAX_IN_FLIGHT_PER_PARTY) return undefined;
      if (!taken.rate.tryAcquire() || !total.tryAcquire()) return undefined;
      inFlight += 1;
      taken.inFlight += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        inFlight -= 1;
        taken.inFlight -= 1;
      };
    },
  };
}

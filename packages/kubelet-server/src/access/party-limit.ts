/** Bounds what is going on for clients, in all and for each address group. */
export interface PartyLimit {
  /** Begins something for a party, until the returned function is called; `undefined` when it is one too many. */
  begin(party: string): (() => void) | undefined;
}

/** Creates a {@link PartyLimit}. */
export function createPartyLimit(total: number, perParty: number): PartyLimit {
  const counts = new Map<string, number>();
  let sum = 0;
  return {
    begin(party) {
      const count = counts.get(party) ?? 0;
      if (sum >= total || count >= perParty) return undefined;
      sum += 1;
      counts.set(party, count + 1);
      let isGoingOn = true;
      return () => {
        if (!isGoingOn) return;
        isGoingOn = false;
        sum -= 1;
        const rest = counts.get(party)! - 1;
        if (rest === 0) counts.delete(party);
        else counts.set(party, rest);
      };
    },
  };
}

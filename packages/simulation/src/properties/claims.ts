import { type ContainerFacts, containerKey, type StatusFacts } from '../history/history.ts';
import type { Property } from './property.ts';

/** A container starts with its claims, while their drivers have prepared them. */
export const claimsPreparedAtStart: Property = {
  name: 'claims-prepared-at-start',
  *check(history) {
    const prepared = new Set<string>();
    /** Claims by container. */
    const given = new Map<string, readonly string[]>();
    /** Number of claims by key of the container. */
    const wanted = new Map<string, number>();
    for (const event of history) {
      if (event.kind === 'desired')
        for (const [name, count] of Object.entries(event.pod.claims))
          wanted.set(containerKey({ uid: event.pod.uid, name }), count);
      if (event.kind === 'claim' && event.change === 'prepared') prepared.add(event.claim);
      if (event.kind === 'claim' && event.change === 'unprepared') prepared.delete(event.claim);
      // The driver keeps nothing over a loss of power.
      if (event.kind === 'power' && event.change === 'off') prepared.clear();
      if (event.kind === 'claims-given') given.set(event.container, event.claims);
      if (event.kind !== 'container' || event.change !== 'started') continue;
      const { atMs, container } = event;
      const claims = given.get(container.id) ?? [];
      const key = containerKey(container);
      if (claims.length < (wanted.get(key) ?? 0))
        yield { atMs, text: `${key} starts with ${String(claims.length)} claims of ${String(wanted.get(key))}` };
      for (const claim of claims)
        if (!prepared.has(claim)) yield { atMs, text: `${key} starts with the claim ${claim}, which is not prepared` };
    }
  },
};

/** A claim is unprepared only after the last container of the last pod that uses it has exited. */
export const claimsKeptWhileUsed: Property = {
  name: 'claims-kept-while-used',
  *check(history) {
    /** Pods by claim. */
    const users = new Map<string, Set<string>>();
    const running = new Map<string, ContainerFacts>();
    for (const event of history) {
      if (event.kind === 'claim-user' && event.change === 'reserved')
        users.set(event.claim, (users.get(event.claim) ?? new Set()).add(event.uid));
      if (event.kind === 'container') {
        const { change, container } = event;
        if (change === 'started') running.set(container.id, container);
        if (change === 'exited' || change === 'removed') running.delete(container.id);
      }
      if (event.kind !== 'claim' || event.change !== 'unprepared') continue;
      const { atMs, claim } = event;
      for (const container of running.values())
        if (users.get(claim)?.has(container.uid) === true)
          yield { atMs, text: `the claim ${claim} is unprepared while ${containerKey(container)} runs` };
    }
  },
};

/** The end of the last pod that uses a claim is reported only after the claim was unprepared, since its device may go to another pod then. */
export const claimsUnpreparedAtEnd: Property = {
  name: 'claims-unprepared-at-end',
  *check(history) {
    const prepared = new Set<string>();
    /** Pods by claim. */
    const users = new Map<string, Set<string>>();
    /** Pods that the API shows as ended before they end: those that were deleted by force, and as in the kubelet those that an agent rejects although an earlier one ran them. */
    const early = new Set<string>();
    for (const event of history) {
      if (event.kind === 'undesired' && event.graceSeconds === 0) early.add(event.uid);
      if (event.kind === 'status' && isRejection(event.status)) early.add(event.status.uid);
      if (event.kind === 'claim' && event.change === 'prepared') prepared.add(event.claim);
      if (event.kind === 'claim' && event.change === 'unprepared') prepared.delete(event.claim);
      if (event.kind === 'power' && event.change === 'off') prepared.clear();
      if (event.kind !== 'claim-user') continue;
      const { atMs, claim, uid } = event;
      const left = users.get(claim) ?? new Set();
      users.set(claim, left);
      if (event.change === 'reserved') left.add(uid);
      if (event.change === 'reserved' || early.has(uid)) continue;
      left.delete(uid);
      if (left.size === 0 && prepared.has(claim))
        yield { atMs, text: `${uid} has ended, and its claim ${claim} is prepared` };
    }
  },
};

/** Reports whether a status is that of a pod that was rejected: it shows no container. */
function isRejection({ phase, restartCounts }: StatusFacts): boolean {
  return phase === 'Failed' && Object.keys(restartCounts).length === 0;
}

/** A device is never prepared for two claims. */
export const claimDevicesExclusive: Property = {
  name: 'claim-devices-exclusive',
  *check(history) {
    const holders = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'power' && event.change === 'off') holders.clear();
      if (event.kind !== 'claim') continue;
      const { atMs, change, claim, device } = event;
      const holder = holders.get(device);
      if (change === 'unprepared' && holder === claim) holders.delete(device);
      if (change === 'prepared') {
        if (holder !== undefined && holder !== claim)
          yield { atMs, text: `${device} is prepared for the claims ${holder} and ${claim}` };
        holders.set(device, claim);
      }
    }
  },
};

/**
 * Queue of pods for a full name (`name_namespace`). Static pods hold it one at a time, first come, first served; a pod found in the runtime holds it
 * without waiting. A release names the next holder, so that no pod polls for its turn, as a kubelet does every ten to fifteen seconds.
 */
export interface FullNameQueue {
  /** Requests a name. @returns whether the pod holds it now; otherwise a {@link FullNameQueue.leave} of another pod names it later. */
  join(fullName: string, uid: string): boolean;
  /** Takes a name beside its other holders; a waiting pod leaves the queue. */
  occupy(fullName: string, uid: string): void;
  /** Releases a name, or leaves its queue. @returns the UID of the next holder, if there is one. */
  leave(fullName: string, uid: string): string | undefined;
}

interface Name {
  readonly holders: Set<string>;
  /** In order of arrival: a Set keeps the order of insertion. */
  readonly waiting: Set<string>;
}

/** Creates an empty queue. It holds no more names than there are pods. */
export function createFullNameQueue(): FullNameQueue {
  const names = new Map<string, Name>();
  const nameOf = (fullName: string): Name => {
    const name = names.get(fullName) ?? { holders: new Set(), waiting: new Set() };
    names.set(fullName, name);
    return name;
  };
  return {
    join(fullName, uid) {
      const { holders, waiting } = nameOf(fullName);
      const free = holders.size === 0;
      (free ? holders : waiting).add(uid);
      return free;
    },
    occupy(fullName, uid) {
      const { holders, waiting } = nameOf(fullName);
      waiting.delete(uid);
      holders.add(uid);
    },
    leave(fullName, uid) {
      const name = names.get(fullName);
      if (name === undefined) return undefined;
      const { holders, waiting } = name;
      waiting.delete(uid);
      if (!holders.delete(uid) || holders.size > 0) return undefined;
      const [next] = waiting;
      if (next === undefined) {
        names.delete(fullName);
        return undefined;
      }
      waiting.delete(next);
      holders.add(next);
      return next;
    },
  };
}

/**
 * Who may use a full name (`name_namespace`). Pods that ask for it get it one at a time, in the order in which they asked; what the runtime holds has it
 * already, and keeps all who ask waiting. Whose turn comes is told at once, so that nobody has to ask again, as the kubelet does every ten seconds or so.
 */
export interface FullNameQueue {
  /** Asks for a name. @returns whether it is the pod's now; otherwise its turn comes by a {@link FullNameQueue.leave} of another. */
  join(fullName: string, uid: string): boolean;
  /** Takes a name beside whoever else has it; one who waited for it waits no more. */
  occupy(fullName: string, uid: string): void;
  /** Gives a name back, or stops waiting for it. @returns the UID whose turn has come by that, if any. */
  leave(fullName: string, uid: string): string | undefined;
}

interface Name {
  readonly holders: Set<string>;
  /** First come, first served: a Set keeps the order of insertion. */
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

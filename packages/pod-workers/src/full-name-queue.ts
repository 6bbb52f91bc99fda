/** Who may use a full name (`name_namespace`): one pod at a time, in the order in which they asked. */
export interface FullNameQueue {
  /** Asks for a name. @returns whether it is the pod's now; otherwise its turn comes by a {@link FullNameQueue.leave} of another. */
  join(fullName: string, uid: string): boolean;
  /** Gives a name back, or stops waiting for it. @returns the UID whose turn has come by that, if any. */
  leave(fullName: string, uid: string): string | undefined;
}

/** Creates an empty queue. It holds no more names than there are pods. */
export function createFullNameQueue(): FullNameQueue {
  /** The first UID of each name has it, the others wait. */
  const queues = new Map<string, string[]>();
  return {
    join(fullName, uid) {
      const queue = queues.get(fullName) ?? [];
      queues.set(fullName, queue);
      queue.push(uid);
      return queue[0] === uid;
    },
    leave(fullName, uid) {
      const queue = queues.get(fullName);
      const position = queue?.indexOf(uid) ?? -1;
      if (queue === undefined || position < 0) return undefined;
      queue.splice(position, 1);
      if (queue.length === 0) queues.delete(fullName);
      return position === 0 ? queue[0] : undefined;
    },
  };
}

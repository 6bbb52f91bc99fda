import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What is in use on the heap of this process after all garbage is collected. */
export function liveHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // What finalizers and weak references let go in the first is found by the second.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the size of the live objects on the heap of this process. */
export function liveHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // The second collection frees the objects that finalizers and weak references released in the first.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Reason why a container could not be started. */
export interface StartError {
  /** Reason in the kubelet's vocabulary, shown as the container's waiting reason: `ErrImagePull`, `CrashLoopBackOff`, `RunContainerError` … */
  readonly reason: string;
  readonly message: string;
}

/** Outcome of one attempt to start a container; without an error it succeeded. */
export interface ContainerStartResult {
  /** Name of the container in its pod. */
  readonly container: string;
  readonly error?: StartError | undefined;
}

/**
 * Keeps the start errors of containers, like the kubelet's reason cache. The runtime has no record of a container that was never created, so its status takes the
 * waiting reason from here.
 */
export interface StartErrors {
  /** Records the last error of a container. */
  record(podUid: string, container: string, error: StartError): void;
  /** Removes the error of a container that was started. */
  clear(podUid: string, container: string): void;
  /** Records the results of a pod sync: errors are kept, successes remove them, other containers are unchanged. */
  update(podUid: string, results: Iterable<ContainerStartResult>): void;
  /** Returns a copy of the errors of the pod's containers, by name. */
  forPod(podUid: string): ReadonlyMap<string, StartError>;
  /** Removes all errors of a pod. */
  forget(podUid: string): void;
  /** Number of errors. */
  readonly size: number;
}

/** Options of {@link createStartErrors}. */
export interface StartErrorsOptions {
  /** Maximum number of errors over all pods; the least recently used are evicted. Default: 1000, as in the kubelet. */
  readonly capacity?: number;
}

interface Entry {
  readonly podUid: string;
  readonly container: string;
  readonly error: StartError;
}

/** Creates {@link StartErrors}. */
export function createStartErrors(options: StartErrorsOptions = {}): StartErrors {
  const { capacity = 1000 } = options;
  const byPod = new Map<string, Map<string, Entry>>();
  /** All entries, least recently used first. */
  const byUse = new Set<Entry>();

  const remove = (entry: Entry): void => {
    byUse.delete(entry);
    const entries = byPod.get(entry.podUid);
    entries?.delete(entry.container);
    if (entries?.size === 0) byPod.delete(entry.podUid);
  };
  const clear = (podUid: string, container: string): void => {
    const entry = byPod.get(podUid)?.get(container);
    if (entry !== undefined) remove(entry);
  };
  const record = (podUid: string, container: string, error: StartError): void => {
    clear(podUid, container);
    const entry = { podUid, container, error };
    const entries = byPod.get(podUid) ?? new Map<string, Entry>();
    byPod.set(podUid, entries.set(container, entry));
    byUse.add(entry);
    const [oldest] = byUse;
    if (byUse.size > capacity && oldest !== undefined) remove(oldest);
  };

  return {
    record,
    clear,
    update(podUid, results) {
      for (const { container, error } of results) {
        if (error === undefined) clear(podUid, container);
        else record(podUid, container, error);
      }
    },
    forPod(podUid) {
      const errors = new Map<string, StartError>();
      for (const entry of byPod.get(podUid)?.values() ?? []) {
        byUse.delete(entry);
        byUse.add(entry);
        errors.set(entry.container, entry.error);
      }
      return errors;
    },
    forget(podUid) {
      for (const entry of [...(byPod.get(podUid)?.values() ?? [])]) remove(entry);
    },
    get size() {
      return byUse.size;
    },
  };
}

import { type Observable, Subject } from 'rxjs';
import { parseContainerId } from '@rxlet/pod-model';
import type { ProbeKind, ProbeResult } from './probe-target.ts';

/** A probe of a container has another result than before. */
export interface ProbeResultChange {
  readonly podUid: string;
  /** Name of the container. */
  readonly container: string;
  /** As the pod's status shows it: `containerd://0123…`. */
  readonly containerId: string;
  readonly kind: ProbeKind;
  readonly result: ProbeResult;
}

/** Container id without the runtime's name → last result. */
export type ProbeResults = ReadonlyMap<string, ProbeResult>;

/** The last results of all probes. */
export interface ResultStore {
  readonly results$: Observable<ProbeResultChange>;
  /** All results of a kind at this moment; later ones do not change it. */
  snapshot(kind: ProbeKind): ProbeResults;
  get(kind: ProbeKind, containerId: string): ProbeResult | undefined;
  set(change: ProbeResultChange): void;
  delete(kind: ProbeKind, containerId: string): void;
  complete(): void;
}

/** Creates a {@link ResultStore}. Containers are named as in a pod's status. */
export function createResultStore(): ResultStore {
  const live: Readonly<Record<ProbeKind, Map<string, ProbeResult>>> = {
    liveness: new Map(),
    readiness: new Map(),
    startup: new Map(),
  };
  const snapshots: Partial<Record<ProbeKind, ProbeResults>> = {};
  const subject = new Subject<ProbeResultChange>();
  const idOf = (containerId: string): string => parseContainerId(containerId).id;
  return {
    results$: subject.asObservable(),
    snapshot: (kind) => (snapshots[kind] ??= new Map(live[kind])),
    get: (kind, containerId) => live[kind].get(idOf(containerId)),
    set(change) {
      const { kind, containerId, result } = change;
      const id = idOf(containerId);
      if (live[kind].get(id) === result) return;
      live[kind].set(id, result);
      delete snapshots[kind];
      subject.next(change);
    },
    delete(kind, containerId) {
      if (live[kind].delete(idOf(containerId))) delete snapshots[kind];
    },
    complete: () => subject.complete(),
  };
}

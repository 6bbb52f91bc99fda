import type { ProbeResult, ProbeResultChange, ProbeResults } from '@rxlet/agent-api/containers';
import { createEmitter } from '@rxlet/component-base/streams';
import { parseContainerId } from '@rxlet/pod-model';
import type { Observable } from 'rxjs';
import type { ProbeKind } from './probe-target.ts';

/** Last results of all probes. */
export interface ResultStore {
  readonly results$: Observable<ProbeResultChange>;
  /** Returns the current results of a kind. The map does not change later. */
  snapshot(kind: ProbeKind): ProbeResults;
  get(kind: ProbeKind, containerId: string): ProbeResult | undefined;
  set(change: ProbeResultChange): void;
  delete(kind: ProbeKind, containerId: string): void;
  complete(): void;
}

/** Creates a {@link ResultStore}. Container ids have the form of the pod's status. */
export function createResultStore(): ResultStore {
  const live: Readonly<Record<ProbeKind, Map<string, ProbeResult>>> = {
    liveness: new Map(),
    readiness: new Map(),
    startup: new Map(),
  };
  const snapshots: Partial<Record<ProbeKind, ProbeResults>> = {};
  const changes = createEmitter<ProbeResultChange>();
  const idOf = (containerId: string): string => parseContainerId(containerId).id;
  return {
    results$: changes.values$,
    snapshot: (kind) => (snapshots[kind] ??= new Map(live[kind])),
    get: (kind, containerId) => live[kind].get(idOf(containerId)),
    set(change) {
      const { kind, containerId, result } = change;
      const id = idOf(containerId);
      if (live[kind].get(id) === result) return;
      live[kind].set(id, result);
      delete snapshots[kind];
      changes.emit(change);
    },
    delete(kind, containerId) {
      if (live[kind].delete(idOf(containerId))) delete snapshots[kind];
    },
    complete: changes.complete,
  };
}

import type { MirrorPods, PodStatusUpdate, StatusSink } from '@rxlet/agent-api/statuses';
import type { Clock, Logger } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isStaticPod, isTerminalPhase, podUid } from '@rxlet/pod-model';
import { withholdEnd } from './api/merge-pod-status.ts';
import { isUrgent } from './is-urgent.ts';
import { createStatusPublisher, type StatusPublisherOptions } from './status-publisher.ts';

/**
 * Delivers the statuses of all pods to one sink. It decides which status the sink may get and how urgent it is. Each sink has its own delivery, so that a sink that
 * fails or hangs delays no other.
 */
export interface StatusDelivery extends AsyncDisposable {
  /** Adds a pod with a status that was published before. */
  begin(pod: Pod, published: PodStatus): void;
  /** Submits the latest status of a pod. */
  submit(update: PodStatusUpdate): void;
  /** Submits an unchanged status if the sink lacks a part that it may get now: the terminal phase, or the status of a new mirror pod. */
  submitIfPending(update: PodStatusUpdate): void;
  /** Reports whether the sink has the latest status of a pod. */
  isPublished(podUid: string): boolean;
  /** Drops the unpublished status of a pod. */
  forget(podUid: string): void;
}

/** Ports of {@link createStatusDelivery}; see `StatusManagerPorts`. */
export interface StatusDeliveryPorts {
  readonly clock: Clock;
  readonly sink: StatusSink;
  readonly mirrorPod: MirrorPods['mirrorOf'];
  couldHaveRunningContainers(podUid: string): boolean;
  /** Called with each published update and the waiting time of its first unpublished change. */
  onPublished(update: PodStatusUpdate, waitedMs: number): void;
  readonly logger: Logger;
}

/** Status of a pod in the sink. */
interface Delivered {
  readonly status: PodStatus;
  /** For a static pod, UID of its mirror pod. */
  readonly mirrorUid: string | undefined;
}

/** Creates a {@link StatusDelivery}. It holds at most two statuses of each pod, besides those of its publisher. */
export function createStatusDelivery(ports: StatusDeliveryPorts, options: StatusPublisherOptions): StatusDelivery {
  const { clock, sink, couldHaveRunningContainers, onPublished, logger } = ports;
  const mirrorPod = (pod: Pod): Pod | undefined =>
    sink.needsMirrorPods === true && isStaticPod(pod) ? ports.mirrorPod?.(pod) : undefined;
  const lacksMirror = (pod: Pod): boolean =>
    sink.needsMirrorPods === true && isStaticPod(pod) && mirrorPod(pod) === undefined;
  const mirrorUid = (pod: Pod): string | undefined => mirrorPod(pod)?.metadata?.uid;
  /** Last status published to the sink, by this or an earlier agent. */
  const published = new Map<string, Delivered>();
  const inFlight = new Map<string, Delivered>();
  /** Pods whose latest status was not submitted. */
  const withheld = new Set<string>();

  /** A new mirror pod has its own status. */
  const publishedStatus = (pod: Pod): PodStatus => {
    const last = published.get(podUid(pod));
    return (last?.mirrorUid === mirrorUid(pod) ? last?.status : mirrorPod(pod)?.status) ?? {};
  };
  /** Returns the update that the sink may get now; `undefined` when there is no object to update. */
  const permitted = (update: PodStatusUpdate): PodStatusUpdate | undefined => {
    const { pod } = update;
    if (lacksMirror(pod)) return undefined;
    const mirror = mirrorPod(pod);
    const status = withholdEnd({
      pod,
      published: publishedStatus(pod),
      next: update.status,
      couldHaveRunningContainers: couldHaveRunningContainers(podUid(pod)),
      nowMs: clock.now(),
    });
    return { ...update, status, ...(mirror !== undefined && { mirrorPod: mirror }) };
  };
  const publish = async (update: PodStatusUpdate, signal: AbortSignal): Promise<PodStatusUpdate | undefined> => {
    const { pod } = update;
    const uid = podUid(pod);
    /** Returns the update for the sink, and records whether a part of the status is withheld. */
    const deliver = (): PodStatusUpdate | undefined => {
      const deliverable = permitted(update);
      const isComplete = isTerminalPhase(update.status.phase) === isTerminalPhase(deliverable?.status.phase);
      if (deliverable === undefined || !isComplete) withheld.add(uid);
      else withheld.delete(uid);
      if (deliverable !== undefined) inFlight.set(uid, { status: deliverable.status, mirrorUid: mirrorUid(pod) });
      return deliverable;
    };
    let delivered = deliver();
    if (delivered === undefined) return undefined;
    try {
      await sink.publish(delivered, signal, () => (delivered = deliver() ?? delivered!).status);
      if (!published.has(uid)) return undefined;
      published.set(uid, inFlight.get(uid)!);
      return delivered;
    } finally {
      inFlight.delete(uid);
    }
  };
  const publisher = createStatusPublisher({ clock, publish, onPublished, logger }, options);

  const submit = (update: PodStatusUpdate): void => {
    const uid = podUid(update.pod);
    if (lacksMirror(update.pod)) {
      withheld.add(uid);
      return;
    }
    withheld.delete(uid);
    const known = [publishedStatus(update.pod), inFlight.get(uid)?.status].filter((status) => status !== undefined);
    publisher.submit(update, update.finished || known.some((status) => isUrgent(status, update.status)));
  };
  const isPending = (pod: Pod): boolean => {
    const uid = podUid(pod);
    if (withheld.has(uid) && !couldHaveRunningContainers(uid)) return true;
    return (inFlight.get(uid) ?? published.get(uid))?.mirrorUid !== mirrorUid(pod);
  };

  return {
    begin: (pod, status) => void published.set(podUid(pod), { status, mirrorUid: mirrorUid(pod) }),
    submit,
    submitIfPending(update) {
      if (isPending(update.pod)) submit(update);
    },
    isPublished: (podUid) => !withheld.has(podUid) && !publisher.isUnpublished(podUid),
    forget(podUid) {
      published.delete(podUid);
      withheld.delete(podUid);
      publisher.forget(podUid);
    },
    [Symbol.asyncDispose]: () => publisher[Symbol.asyncDispose](),
  };
}

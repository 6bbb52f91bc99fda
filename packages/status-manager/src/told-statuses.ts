import type { Clock } from '@rxlet/component-base';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isStaticPod, isTerminalPhase } from '@rxlet/pod-model';
import { withholdEnd } from './api/merge-pod-status.ts';
import { isUrgent } from './is-urgent.ts';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';

/** What a sink was told of the pods that are held, and what it may be told by now. */
export interface ToldStatuses {
  /** What had been published of a pod before it was held. */
  begin(pod: Pod, status: PodStatus): void;
  /**
   * How soon the sink is to be told of an update: `now` when others wait for it, by what the sink has, and by what it is just being told. Undefined
   * when there is nobody to tell: a static pod without a mirror pod is in no API.
   */
  due(update: PodStatusUpdate): 'now' | 'soon' | undefined;
  /** Whether the sink may be told by now what it was not: the pod's end, a status for a mirror pod that was not there. */
  isOwed(pod: Pod): boolean;
  /**
   * Tells the sink of a pod what it may know.
   *
   * @returns what that was; undefined when there was nobody to tell, or the pod was forgotten meanwhile
   */
  tell(sink: StatusSink, update: PodStatusUpdate, signal: AbortSignal): Promise<PodStatusUpdate | undefined>;
  forget(podUid: string): void;
}

/** What {@link ToldStatuses} work with; see `StatusManagerPorts`. */
export interface ToldStatusesPorts {
  readonly clock: Clock;
  readonly mirrorPod: ((pod: Pod) => Pod | undefined) | undefined;
  readonly couldHaveRunningContainers: (podUid: string) => boolean;
}

interface Told {
  readonly status: PodStatus;
  /** The mirror pod that it is of, if the pod is a static one. */
  readonly mirrorUid: string | undefined;
}

/** Creates {@link ToldStatuses}. They hold two statuses of each pod. */
export function createToldStatuses(ports: ToldStatusesPorts): ToldStatuses {
  const { clock, mirrorPod, couldHaveRunningContainers } = ports;
  /** What the sink has last taken, or what had been published before. */
  const taken = new Map<string, Told>();
  /** What the sink is just being told. */
  const telling = new Map<string, Told>();
  /** Pods of which the sink was not told the latest. */
  const withheld = new Set<string>();

  const mirrorUid = (pod: Pod): string | undefined => mirrorPod?.(pod)?.metadata?.uid;
  const hasNoMirror = (pod: Pod): boolean =>
    mirrorPod !== undefined && isStaticPod(pod) && mirrorPod(pod) === undefined;
  /** Of a mirror pod that is another than before, what that came with. */
  const takenStatus = (pod: Pod): PodStatus => {
    const last = taken.get(uidOf(pod));
    return (last?.mirrorUid === mirrorUid(pod) ? last?.status : mirrorPod?.(pod)?.status) ?? {};
  };

  return {
    begin: (pod, status) => void taken.set(uidOf(pod), { status, mirrorUid: mirrorUid(pod) }),
    due(update) {
      const { pod } = update;
      if (hasNoMirror(pod)) {
        withheld.add(uidOf(pod));
        return undefined;
      }
      withheld.delete(uidOf(pod));
      const known = [takenStatus(pod), telling.get(uidOf(pod))?.status].filter((status) => status !== undefined);
      return update.finished || known.some((status) => isUrgent(status, update.status)) ? 'now' : 'soon';
    },
    isOwed(pod) {
      if (withheld.has(uidOf(pod)) && !couldHaveRunningContainers(uidOf(pod))) return true;
      return (telling.get(uidOf(pod)) ?? taken.get(uidOf(pod)))?.mirrorUid !== mirrorUid(pod);
    },
    async tell(sink, update, signal) {
      const { pod } = update;
      const podUid = uidOf(pod);
      if (hasNoMirror(pod)) {
        withheld.add(podUid);
        return undefined;
      }
      const mirror = mirrorPod?.(pod);
      const status = withholdEnd({
        pod,
        published: takenStatus(pod),
        next: update.status,
        couldHaveRunningContainers: couldHaveRunningContainers(podUid),
        nowMs: clock.now(),
      });
      if (isTerminalPhase(update.status.phase) && !isTerminalPhase(status.phase)) withheld.add(podUid);
      const told = { status, mirrorUid: mirror?.metadata?.uid };
      const shown = { ...update, status, ...(mirror !== undefined && { mirrorPod: mirror }) };
      telling.set(podUid, told);
      try {
        await sink.publish(shown, signal);
      } finally {
        telling.delete(podUid);
      }
      if (!taken.has(podUid)) return undefined;
      taken.set(podUid, told);
      return shown;
    },
    forget(podUid) {
      taken.delete(podUid);
      withheld.delete(podUid);
    },
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

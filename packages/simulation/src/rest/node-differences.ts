import type { Pod } from '@rxlet/kube-api';
import { isMirrorPod, isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { containerKey, type History } from '../history/history.ts';
import { createUnwritableTime } from '../properties/faults.ts';
import { FINALIZER } from '../world/run-api-step.ts';
import { endlessContainers } from '../workload/restart-rules.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';
import { clusterDifferences, contentDifferences, mirrorDifferences } from './cluster-differences.ts';
import { healthDifferences } from './health-differences.ts';
import { leftovers } from './leftovers.ts';
import { differences } from './pod-differences.ts';

/** Returns the differences between the actual and the desired state of a node, but for pods that a permanent fault touches. */
export async function nodeDifferences(subject: SimulatedNode): Promise<readonly string[]> {
  const { node, cluster } = subject;
  const lost = lostContainers(subject);
  const unstarted = new Set(
    [...subject.statics].filter(([, pod]) => endedUnstarted(subject, pod)).map(([name]) => name),
  );
  const isCompared = (pod: Pod): boolean => !subject.isTouched(pod) && !unstarted.has(pod.metadata?.name ?? '');
  const mirrored = [...subject.statics.values()].filter(isCompared);
  const statics = mirrored.filter((pod) => !hasEndedBefore(subject, pod));
  const all = subject.apiPods().filter((pod) => !isMirrorPod(pod) && !subject.isTouched(pod));
  const ending = all.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
  const staying = all.filter((pod) => !ending.includes(pod));
  const held = ending.filter(({ metadata }) => metadata?.finalizers?.includes(FINALIZER));
  const uids = new Set([...subject.statics.values(), ...staying].map(podUid));
  const touched = touchedUids(subject);
  const shownStatics = statics.map((pod) => ({ ...pod, ...statusOf(subject, pod) }));
  const endReasons = new Set(subject.parts.flatMap((part) => part.endReasons ?? []));
  const staticEndReasons = new Set(subject.parts.flatMap((part) => part.staticEndReasons ?? []));
  return [
    ...(cluster === undefined
      ? statics.flatMap((pod) => differences(node, pod, lost))
      : [
          ...staying.flatMap((pod) => clusterDifferences(cluster, pod, lost, endReasons)),
          ...(subject.lasting?.kind === 'unreachable-api' ? [] : subject.parts).flatMap(
            (part) => part.differences?.([...staying, ...shownStatics], touched) ?? [],
          ),
          ...staying
            .filter(({ status }) => !isTerminalPhase(status?.phase))
            .flatMap((pod) => contentDifferences(cluster, pod)),
          ...(subject.lasting?.kind === 'unreachable-api'
            ? statics.filter((pod) => !isCleanedUp(subject, pod)).flatMap((pod) => differences(node, pod, lost))
            : [
                ...mirrorDifferences(cluster, mirrored, subject.apiPods().filter(isCompared), deletedNames(subject)),
                ...shownStatics.flatMap((pod) => clusterDifferences(cluster, pod, lost, staticEndReasons)),
              ]),
          ...ending
            .filter((pod) => !held.includes(pod) || !isTerminalPhase(pod.status?.phase))
            .map(
              (pod) => `${pod.metadata?.name ?? ''} ${podUid(pod)} is left in the API: ${JSON.stringify(pod.status)}`,
            ),
        ]),
    ...healthDifferences(subject, [...staying, ...statics]),
    // As in the kubelet, the contents of a pod that has ended stay until it is gone from the API.
    ...(await leftovers(node, new Set([...uids, ...touched, ...unknownUids(subject), ...held.map(podUid)]))),
    ...shownTooMuch(subject, new Set([...uids, ...touched, ...held.map(podUid)])),
  ];
}

/**
 * Returns the containers whose instances may be numbered anew, as `uid/name`: the runtime forgot one, the newest one never ran and was removed, the agent has decided to
 * end the pod, or it came back. As in the kubelet, init containers are removed with their logs before they run again in the new sandbox of a pod that comes back. The
 * agent removes all of a static pod, and the next one takes them for lost if it was killed then. It has no count of its own of a pod whose status is not kept and whose
 * instances were removed, while the mirror pod has one.
 */
function lostContainers({ history, lost }: SimulatedNode): ReadonlySet<string> {
  const keys = new Set(lost);
  const started = new Set<string>();
  const desired = new Set<string>();
  const ending = new Set<string>();
  /** Pods whose status no agent keeps for the next one. */
  const forgotten = new Set<string>();
  /** IDs of the instances that the runtime has, by container. */
  const instances = new Map<string, { readonly uid: string; readonly ids: Set<string> }>();
  /** Containers of each pod that may begin anew: all of a static pod, which leaves no trace, and the init containers of others. */
  const renewed = new Map<string, readonly string[]>();
  for (const event of history.events) {
    if (event.kind === 'desired') {
      const { uid, isStatic, images, initContainers } = event.pod;
      if (isStatic && !event.pod.isStatusKept) forgotten.add(uid);
      renewed.set(uid, isStatic ? Object.keys(images) : initContainers);
      if (desired.has(uid)) for (const name of renewed.get(uid)!) keys.add(`${uid}/${name}`);
      desired.add(uid);
    }
    // What the agent removes before the end of the pod is reported leaves no trace for the next one.
    if (event.kind === 'terminate') {
      ending.add(event.uid);
      for (const name of renewed.get(event.uid) ?? []) keys.add(`${event.uid}/${name}`);
    }
    if (event.kind === 'agent' && event.change !== 'started')
      for (const [key, { uid, ids }] of instances) if (ids.size === 0 && forgotten.has(uid)) keys.add(key);
    if (event.kind !== 'container') continue;
    const { id, uid } = event.container;
    const { ids } = instances.get(containerKey(event.container)) ?? { ids: new Set<string>() };
    instances.set(containerKey(event.container), { uid, ids });
    if (event.change === 'removed') ids.delete(id);
    else ids.add(id);
    if (event.change === 'started') started.add(id);
    if (event.change === 'removed' && (!started.has(event.container.id) || ending.has(event.container.uid)))
      keys.add(containerKey(event.container));
  }
  return keys;
}

/** Returns the UIDs that a permanent fault has touched so far. */
export function touchedUids({ history, lasting, isTouched, apiPods }: SimulatedNode): ReadonlySet<string> {
  if (lasting === undefined) return new Set();
  const uids = new Set(
    apiPods()
      .filter((pod) => !isMirrorPod(pod) && isTouched(pod))
      .map(podUid),
  );
  for (const event of history.events)
    if (event.kind === 'desired' && isTouched({ metadata: { name: event.pod.name } })) uids.add(event.pod.uid);
  return uids;
}

/** Returns the UIDs of pods that an agent finds without having reached the API server: they may be pods of it, and are left alone, as by the kubelet. */
function unknownUids({ history, plan, lasting }: SimulatedNode): readonly string[] {
  const started = history.events.findLast((event) => event.kind === 'agent' && event.change === 'started');
  if (lasting?.kind !== 'unreachable-api' || (started?.atMs ?? 0) < plan.durationMs) return [];
  return history.events.flatMap((event) => (event.kind === 'undesired' ? event.uid : []));
}

/** Time within which the agent knows that dead containers have been removed. */
const RELIST_MS = 1_000;

/** Reasons of pods that a shutdown ended, and of those that were not admitted during it. */
const END_BY_SHUTDOWN: ReadonlySet<string> = new Set(['Terminated', 'NodeShutdown']);

/**
 * Reports whether a static pod has come back and takes over the end of its earlier life: its dead containers are removed at that moment, or the agent cannot record that the end is over.
 */
function hasEndedBefore({ history, node }: SimulatedNode, pod: Pod): boolean {
  const uid = podUid(pod);
  const status = node.agent().pods.get(uid)?.status;
  if (!isTerminalPhase(status?.phase)) return false;
  if (END_BY_SHUTDOWN.has(status?.reason ?? '') && wasShutdownCancelled(history.events)) return true;
  if (hasComeBackUnrecorded(history.events, uid)) return true;
  const removals = history.events.filter(
    (event) => event.kind === 'container' && event.change === 'removed' && event.container.uid === uid,
  );
  return history.events.some(
    (event) =>
      event.kind === 'desired' &&
      event.pod.uid === uid &&
      removals.some(({ atMs }) => Math.abs(event.atMs - atMs) < RELIST_MS),
  );
}

/** Reports whether a pod has come back while the agent could not write its files, and the next agent has started since. */
function hasComeBackUnrecorded(events: History, uid: string): boolean {
  const unwritable = createUnwritableTime();
  let hasComeBack = false;
  let seen = false;
  for (const event of events) {
    unwritable.follow(event);
    if (event.kind === 'agent' && event.change === 'started' && hasComeBack) return true;
    if (event.kind !== 'desired' || event.pod.uid !== uid) continue;
    hasComeBack = seen && event.atMs < unwritable.last.untilMs;
    seen = true;
  }
  return false;
}

/** Returns the names of pods whose deletion from the API a user has requested. */
function deletedNames({ history }: SimulatedNode): ReadonlySet<string> {
  return new Set(
    history.events.flatMap((event) =>
      event.kind === 'step' ? (/^delete .*\bname=(\S+)/.exec(event.text)?.[1] ?? []) : [],
    ),
  );
}

/** Reports whether the agent has taken part in a shutdown that was cancelled. As in the kubelet, the pods that it ended then run again with the next agent. */
function wasShutdownCancelled(events: History): boolean {
  const last = events.findLastIndex((event) => event.kind === 'power' && event.change === 'cancelled');
  return last > events.findLastIndex((event) => event.kind === 'agent' && event.change === 'started');
}

/**
 * Reports whether a cancelled shutdown ended a static pod that waited for the end of an earlier one. As in the kubelet, it has no status, and runs with the next agent.
 */
function endedUnstarted({ history, node }: SimulatedNode, pod: Pod): boolean {
  const uid = podUid(pod);
  if (node.agent().pods.get(uid)?.status?.phase !== undefined || !wasShutdownCancelled(history.events)) return false;
  const started = history.events.findLastIndex((event) => event.kind === 'agent' && event.change === 'started');
  return history.events
    .slice(started)
    .some((event) => event.kind === 'terminate' && event.reason === 'shutdown' && event.uid === uid);
}

/** Reports whether a pod has ended for good and its containers are gone. */
function isCleanedUp({ node }: SimulatedNode, pod: Pod): boolean {
  const uid = podUid(pod);
  const hasContainers = node.fake.snapshot().containers.some(({ labels }) => labels[PodLabel.podUid] === uid);
  const { phase } = node.agent().pods.get(uid)?.status ?? {};
  return endlessContainers(pod).length === 0 && isTerminalPhase(phase) && !hasContainers;
}

function statusOf({ node }: SimulatedNode, pod: Pod): Pick<Pod, 'status'> {
  const status = node.agent().pods.get(podUid(pod))?.status;
  return status === undefined ? {} : { status };
}

function shownTooMuch({ node }: SimulatedNode, uids: ReadonlySet<string>): string[] {
  const shown = node.agent().pods.list().map(podUid);
  return shown.filter((uid) => !uids.has(uid)).map((uid) => `the agent shows ${uid}`);
}

import { ContainerState } from '@rxlet/cri-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { isMirrorPod, isTerminalPhase, PodAnnotation, PodLabel, podUid } from '@rxlet/pod-model';
import type { TestCluster } from '@rxlet/testing';
import { OBJECT_NAMES } from '../workload/cluster-pods.ts';
import { endlessContainers } from '../workload/restart-rules.ts';
import { differences } from './pod-differences.ts';

/** Fields of a status that the agent does not write, or that the API server rounds. */
const COMPARED: readonly (keyof PodStatus)[] = [
  'phase',
  'reason',
  'message',
  'podIP',
  'hostIP',
  'observedGeneration',
  'containerStatuses',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
];

/**
 * Returns the differences between a pod in the API, the agent's view and the runtime.
 *
 * @param endReasons reasons with which the node may have ended the pod
 */
export function clusterDifferences(
  cluster: TestCluster,
  pod: Pod,
  lost: ReadonlySet<string>,
  endReasons: ReadonlySet<string> = new Set(),
): readonly string[] {
  const uid = podUid(pod);
  const describeProblem = (what: string): string => `${pod.metadata?.name ?? ''} ${uid}: ${what}`;
  const shown = cluster.node.agent().pods.get(uid)?.status;
  if (shown === undefined) return [describeProblem('the agent does not show it')];
  const api = pod.status ?? {};
  const problems = statusDifferences(api, shown).map(describeProblem);
  if (isTerminalPhase(api.phase) && endReasons.has(api.reason ?? '')) {
    const runs = cluster.node.fake
      .snapshot()
      .containers.some(
        ({ labels, state }) => labels[PodLabel.podUid] === uid && state === ContainerState.CONTAINER_RUNNING,
      );
    return runs ? [...problems, describeProblem(`it runs although it ended: ${api.reason ?? ''}`)] : problems;
  }
  // The containers of a pod that has ended may be gone, and the pod must not run again.
  const hasContent = cluster.node.fake
    .snapshot()
    .containers.some(({ labels }) => labels['io.kubernetes.pod.uid'] === uid);
  const isOver = isTerminalPhase(api.phase) && !hasContent;
  if (isOver && endlessContainers(pod).length > 0) problems.push(describeProblem(`it ended: ${api.reason ?? ''}`));
  return isOver ? problems : [...problems, ...differences(cluster.node, pod, lost)];
}

/** Returns the differences between a status in the API and the agent's. */
export function statusDifferences(api: PodStatus, shown: PodStatus): readonly string[] {
  const differing = COMPARED.filter((field) => !sameValue(api[field], shown[field]));
  const isDisrupted = ({ conditions = [] }: PodStatus): boolean =>
    conditions.some(({ type }) => type === 'DisruptionTarget');
  // As in the kubelet, it stays in the API, where other controllers may have set it.
  const isIgnored = isDisrupted(api) && !isDisrupted(shown);
  const conditions = ({ conditions = [] }: PodStatus): string =>
    conditions
      .filter(({ type }) => !isIgnored || type !== 'DisruptionTarget')
      .map(({ type, status }) => `${type}=${status}`)
      .sort()
      .join();
  return [
    ...differing.map(
      (field) =>
        `${field} is ${JSON.stringify(api[field])} in the API, and ${JSON.stringify(shown[field])} in the agent`,
    ),
    ...(conditions(api) === conditions(shown)
      ? []
      : [`conditions are ${conditions(api)} in the API, and ${conditions(shown)} in the agent`]),
  ];
}

/**
 * Returns the differences between static pods and their mirror pods.
 *
 * @param deletedNames names of pods whose mirror a user has deleted
 */
export function mirrorDifferences(
  cluster: TestCluster,
  statics: readonly Pod[],
  apiPods: readonly Pod[],
  deletedNames: ReadonlySet<string>,
): string[] {
  const mirrors = new Map(apiPods.filter(isMirrorPod).map((pod) => [pod.metadata?.name, pod]));
  const problems = statics.flatMap((pod) => {
    const name = pod.metadata?.name ?? '';
    const mirror = mirrors.get(name);
    mirrors.delete(name);
    // As in the kubelet, a mirror pod that is deleted once its pod has ended stays deleted until the next agent: it is the record of an ended pod.
    const hasEnded = isTerminalPhase(cluster.node.agent().pods.get(podUid(pod))?.status?.phase);
    if (mirror === undefined) return hasEnded && deletedNames.has(name) ? [] : [`${name} has no mirror pod`];
    const [hash, mirrored] = [
      pod.metadata?.annotations?.[PodAnnotation.configHash],
      mirror.metadata?.annotations?.[PodAnnotation.configMirror],
    ];
    if (hash !== mirrored) return [`the mirror pod of ${name} is that of ${String(mirrored)}, not ${String(hash)}`];
    const shown = cluster.node.agent().pods.get(podUid(pod))?.status ?? {};
    return statusDifferences(mirror.status ?? {}, shown).map((what) => `the mirror pod of ${name}: ${what}`);
  });
  return [...problems, ...[...mirrors.keys()].map((name) => `the mirror pod of ${String(name)} is left`)];
}

/** Returns the files of a running pod of the kind `config` that differ from the objects in the API. */
export function contentDifferences({ kube, node }: TestCluster, pod: Pod): readonly string[] {
  const { ConfigMap: configMap, Secret: secret } = OBJECT_NAMES;
  const wanted = [
    ['config', kube.objects.get({ group: '', plural: 'configmaps' }, configMap, 'default')?.['data'], 'configmap'],
    ['secret', kube.objects.get({ group: '', plural: 'secrets' }, secret, 'default')?.['data'], 'secret'],
  ] as const;
  return wanted.flatMap(([volume, data, plugin]) => {
    if (!(pod.spec?.volumes ?? []).some(({ name }) => name === volume)) return [];
    const path = `/root/pods/${podUid(pod)}/volumes/kubernetes.io~${plugin}/${volume}/key`;
    const text = node.files.text(path);
    const value = (data as Record<string, string> | undefined)?.['key'];
    const expected = plugin === 'secret' ? Buffer.from(value ?? '', 'base64').toString() : value;
    return text === expected ? [] : [`${path} has ${String(text)}, not ${String(expected)}`];
  });
}

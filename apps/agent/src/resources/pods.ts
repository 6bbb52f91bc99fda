import type { Pod, PodList } from '@rxlet/kube-api';
import { SOURCE_PROBLEM_ANNOTATION } from '@rxlet/kubelet-server';
import { formatSince, podReadiness, podRestarts, podStatusWord } from '@rxlet/pod-model/summary';
import { selectPod } from '../commands/find-pod.ts';
import { toneOfStatus } from '../output/colors.ts';
import type { Cell } from '../output/table.ts';
import { usablePod } from '../output/usable-pod.ts';
import type { ResourceKind } from './resource-kind.ts';

/** The pods of the node. */
export const pods: ResourceKind<Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  names: ['pods', 'pod', 'po'],
  isNamespaced: true,
  path: '/pods',
  isWatchable: true,
  columns: [
    { title: 'NAMESPACE', dropRank: 3, cell: ({ metadata }) => metadata?.namespace ?? '' },
    { title: 'NAME', cell: ({ metadata }) => metadata?.name ?? '' },
    { title: 'READY', dropRank: 1, cell: (pod) => podReadiness(usablePod(pod)) },
    { title: 'STATUS', cell: (pod) => statusCell(usablePod(pod)) },
    { title: 'RESTARTS', dropRank: 2, cell: (pod, nowMs) => podRestarts(usablePod(pod), nowMs) },
    { title: 'AGE', dropRank: 4, cell: (pod, nowMs) => ageOf(usablePod(pod), nowMs) },
    { title: 'IP', isWide: true, dropRank: 6, cell: (pod) => usablePod(pod).status?.podIP || '<none>' },
    { title: 'NODE', isWide: true, dropRank: 7, cell: (pod) => usablePod(pod).spec?.nodeName || '<none>' },
  ],
  objectsOf: (answer) => (answer as PodList).items,
  fieldsOf: ({ metadata, spec, status }) => ({
    'metadata.name': metadata?.name ?? '',
    'metadata.namespace': metadata?.namespace ?? '',
    'spec.nodeName': spec?.nodeName ?? '',
    'spec.restartPolicy': spec?.restartPolicy ?? '',
    'spec.schedulerName': spec?.schedulerName ?? '',
    'spec.serviceAccountName': spec?.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec?.hostNetwork ?? false),
    'status.phase': status?.phase ?? '',
    'status.podIP': status?.podIP ?? '',
    'status.podIPs': status?.podIPs?.map(({ ip }) => ip).join(',') ?? '',
    'status.nominatedNodeName': status?.nominatedNodeName ?? '',
  }),
  select: selectPod,
  asDeleted: ({ metadata: { deletionTimestamp: _, ...metadata } = {}, ...pod }) => ({
    ...pod,
    metadata,
    status: { ...(pod.status?.startTime !== undefined && { startTime: pod.status.startTime }), reason: 'Deleted' },
  }),
};

/** The word for a pod's state, marked when its manifest is broken and the last good version runs. */
function statusCell(pod: Pod): Cell {
  const word = podStatusWord(pod);
  const isMarked = pod.metadata?.annotations?.[SOURCE_PROBLEM_ANNOTATION] !== undefined;
  return isMarked ? { text: `${word},InvalidManifest`, tone: 'bad' } : { text: word, tone: toneOfStatus(word) };
}

/** A pod from a manifest has no time of creation; the agent notes when it first saw it. */
function ageOf({ metadata, status }: Pod, nowMs: number): string {
  return formatSince(metadata?.creationTimestamp ?? status?.startTime, nowMs);
}

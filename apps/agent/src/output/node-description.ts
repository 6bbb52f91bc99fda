import type { Event, Node, Pod, Quantity } from '@rxlet/kube-api';
import { podStatusWord } from '@rxlet/pod-model/summary';
import { lastSeen } from './last-seen.ts';
import { formatOutline, type OutlineEntry } from './outline.ts';
import { pairs } from './pod-description.ts';
import { formatTable } from './table.ts';
import { usablePod } from './usable-pod.ts';

/** All about the node, for people, in the order of `kubectl describe node`. */
export function describeNodeLines(
  { metadata, spec, status }: Node,
  pods: readonly Pod[],
  events: readonly Event[],
  nowMs: number,
): string[] {
  const info = status?.nodeInfo;
  return formatOutline([
    { title: 'Name', value: metadata?.name },
    { title: 'Labels', value: pairs(metadata?.labels, '=') },
    { title: 'Annotations', value: pairs(metadata?.annotations, ': ') },
    { title: 'CreationTimestamp', value: metadata?.creationTimestamp },
    {
      title: 'Taints',
      value:
        spec?.taints?.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`).join('\n') ||
        '<none>',
    },
    { title: 'Unschedulable', value: String(spec?.unschedulable ?? false) },
    {
      title: 'Conditions',
      below: formatTable(
        ['Type', 'Status', 'Reason', 'Message'],
        (status?.conditions ?? []).map(({ type, status: value, reason, message }) => [
          type,
          value,
          reason ?? '',
          message ?? '',
        ]),
      ),
    },
    {
      title: 'Addresses',
      below: (status?.addresses ?? []).map(({ type, address }) => ({ title: type, value: address })),
    },
    { title: 'Capacity', below: resourceEntries(status?.capacity) },
    { title: 'Allocatable', below: resourceEntries(status?.allocatable) },
    {
      title: 'System Info',
      below: [
        { title: 'Machine ID', value: info?.machineID },
        { title: 'Boot ID', value: info?.bootID },
        { title: 'Kernel Version', value: info?.kernelVersion },
        { title: 'OS Image', value: info?.osImage },
        { title: 'Operating System', value: info?.operatingSystem },
        { title: 'Architecture', value: info?.architecture },
        { title: 'Container Runtime Version', value: info?.containerRuntimeVersion },
        { title: 'Kubelet Version', value: info?.kubeletVersion },
      ],
    },
    pods.length === 0
      ? { title: 'Pods', value: '<none>' }
      : {
          title: 'Pods',
          value: `${String(pods.length)} in total`,
          below: formatTable(['Namespace', 'Name', 'Status', 'QoS'], pods.map(podRow)),
        },
    events.length === 0
      ? { title: 'Events', value: '<none>' }
      : {
          title: 'Events',
          below: formatTable(
            ['Type', 'Reason', 'Age', 'Message'],
            events.map((event) => [event.type ?? '', event.reason ?? '', lastSeen(event, nowMs), event.message ?? '']),
          ),
        },
  ]);
}

function podRow(given: Pod): string[] {
  const pod = usablePod(given);
  const { metadata, status } = pod;
  return [metadata?.namespace ?? '', metadata?.name ?? '', podStatusWord(pod), status?.qosClass ?? ''];
}

function resourceEntries(amounts: Readonly<Record<string, Quantity>> | undefined): OutlineEntry[] {
  return Object.entries(amounts ?? {}).map(([title, value]) => ({ title, value: String(value) }));
}

import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  type EnvVar,
  type Event,
  type Pod,
  type Quantity,
} from '@rxlet/kube-api';
import { SOURCE_PROBLEM_ANNOTATION } from '@rxlet/kubelet-server';
import { isTerminalPhase, podContainers, type ContainerKind } from '@rxlet/pod-model';
import { formatSince } from '@rxlet/pod-model/summary';
import { lastSeen } from './last-seen.ts';
import { formatOutline, type OutlineEntry } from './outline.ts';
import { formatTable } from './table.ts';
import { usablePod } from './usable-pod.ts';

const NONE = '<none>';

/** All about a pod, for people, in the order of `kubectl describe pod`. */
export function describePodLines(given: Pod, events: readonly Event[], nowMs: number): string[] {
  const pod = usablePod(given);
  const { metadata, spec, status } = pod;
  const isLeaving = metadata?.deletionTimestamp !== undefined;
  return formatOutline([
    { title: 'Name', value: metadata?.name },
    { title: 'Namespace', value: metadata?.namespace },
    { title: 'UID', value: metadata?.uid },
    { title: 'Node', value: [spec?.nodeName, status?.hostIP].filter(Boolean).join('/') || NONE },
    { title: 'Start Time', value: status?.startTime },
    { title: 'Labels', value: pairs(metadata?.labels, '=') },
    { title: 'Annotations', value: pairs(metadata?.annotations, ': ') },
    {
      title: 'Status',
      // As kubectl has it, not the word of its table: why a pod does not run stands with its containers.
      value:
        isLeaving && !isTerminalPhase(status?.phase)
          ? `Terminating (lasts ${formatSince(metadata.deletionTimestamp, nowMs)})`
          : (status?.phase ?? 'Pending'),
    },
    { title: 'Termination Grace Period', value: isLeaving ? seconds(spec?.terminationGracePeriodSeconds) : undefined },
    { title: 'Reason', value: status?.reason },
    { title: 'Message', value: status?.message },
    { title: 'Manifest Problem', value: metadata?.annotations?.[SOURCE_PROBLEM_ANNOTATION] },
    { title: 'IP', value: status?.podIP },
    { title: 'IPs', below: (status?.podIPs ?? []).map(({ ip }) => ({ title: 'IP', value: ip })) },
    { title: 'Init Containers', below: describeContainers(pod, 'init', status?.initContainerStatuses) },
    { title: 'Containers', below: describeContainers(pod, 'regular', status?.containerStatuses) },
    { title: 'Ephemeral Containers', below: describeContainers(pod, 'ephemeral', status?.ephemeralContainerStatuses) },
    { title: 'Conditions', below: describeConditions(pod) },
    { title: 'QoS Class', value: status?.qosClass },
    events.length === 0
      ? { title: 'Events', value: NONE }
      : {
          title: 'Events',
          below: formatTable(
            ['Type', 'Reason', 'Age', 'Message'],
            events.map((event) => [event.type ?? '', event.reason ?? '', lastSeen(event, nowMs), event.message ?? '']),
          ),
        },
  ]);
}

function describeConditions({ status }: Pod): string[] {
  const rows = (status?.conditions ?? []).map(({ type, status: value, reason, message }) => [
    type,
    value,
    reason ?? '',
    message ?? '',
  ]);
  return rows.length === 0 ? [] : formatTable(['Type', 'Status', 'Reason', 'Message'], rows);
}

function describeContainers(
  pod: Pod,
  kind: ContainerKind,
  statuses: readonly ContainerStatus[] | undefined,
): OutlineEntry[] {
  return podContainers(pod, [kind]).map(({ container }) =>
    describeContainer(
      container,
      statuses?.find(({ name }) => name === container.name),
    ),
  );
}

function describeContainer(
  container: Omit<Container, 'name'> & { readonly name: string },
  status: ContainerStatus | undefined,
): OutlineEntry {
  const { name, image, command, args, ports, resources, env, restartPolicy } = container;
  return {
    title: name,
    below: [
      { title: 'Container ID', value: status?.containerID },
      { title: 'Image', value: image },
      { title: 'Image ID', value: status?.imageID },
      {
        title: ports?.length === 1 ? 'Port' : 'Ports',
        value: ports
          ?.map(
            ({ containerPort, protocol, hostPort }) =>
              `${String(containerPort)}/${protocol ?? 'TCP'}${hostPort ? ` (host ${String(hostPort)})` : ''}`,
          )
          .join(', '),
      },
      { title: 'Command', below: command ?? [] },
      { title: 'Args', below: args ?? [] },
      { title: 'Restart Policy', value: restartPolicy },
      ...describeState('State', status?.state),
      ...describeState('Last State', status?.lastState),
      { title: 'Ready', value: status && (status.ready ? 'True' : 'False') },
      { title: 'Restart Count', value: status && String(status.restartCount) },
      { title: 'Limits', below: quantities(resources?.limits) },
      { title: 'Requests', below: quantities(resources?.requests) },
      {
        title: 'Environment',
        below: (env ?? []).map((variable) => ({ title: variable.name, value: variableValue(variable) })),
      },
    ],
  };
}

function describeState(title: string, state: ContainerState | undefined): OutlineEntry[] {
  if (state?.running) {
    return [{ title, value: 'Running', below: [{ title: 'Started', value: state.running.startedAt }] }];
  }
  if (state?.waiting) {
    const { reason, message } = state.waiting;
    return [
      {
        title,
        value: 'Waiting',
        below: [
          { title: 'Reason', value: reason },
          { title: 'Message', value: message },
        ],
      },
    ];
  }
  if (state?.terminated) {
    const { reason, message, exitCode, signal, startedAt, finishedAt } = state.terminated;
    return [
      {
        title,
        value: 'Terminated',
        below: [
          { title: 'Reason', value: reason },
          { title: 'Message', value: message },
          { title: 'Exit Code', value: String(exitCode) },
          { title: 'Signal', value: signal ? String(signal) : undefined },
          { title: 'Started', value: startedAt },
          { title: 'Finished', value: finishedAt },
        ],
      },
    ];
  }
  return [];
}

function quantities(amounts: Readonly<Record<string, Quantity>> | undefined): OutlineEntry[] {
  return Object.entries(amounts ?? {})
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([title, value]) => ({ title, value: String(value) }));
}

function variableValue({ value, valueFrom }: EnvVar): string {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom ?? {};
  if (fieldRef) return `(${fieldRef.apiVersion ?? 'v1'}:${fieldRef.fieldPath})`;
  if (resourceFieldRef) return `(${resourceFieldRef.resource})`;
  if (configMapKeyRef) return `<set to the key '${configMapKeyRef.key}' of config map '${configMapKeyRef.name ?? ''}'>`;
  if (secretKeyRef) return `<set to the key '${secretKeyRef.key}' in secret '${secretKeyRef.name ?? ''}'>`;
  return value || '<empty>';
}

/** Returns the entries of a map, a line each; `<none>` without any. */
export function pairs(record: Readonly<Record<string, string>> | undefined, separator: string): string {
  const lines = Object.entries(record ?? {})
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}${separator}${value}`);
  return lines.length === 0 ? NONE : lines.join('\n');
}

function seconds(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${String(count)}s`;
}

import type { ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';

/** Maximum size of all termination messages of a pod, divided evenly among its containers. */
const POD_TERMINATION_MESSAGE_BYTES = 12 * 1024;

/**
 * Returns a status in the form for comparison and publication: times in whole seconds, as in `metav1.Time`; termination messages cut to the container's share; init
 * containers in spec order, others by name.
 */
export function normalizeStatus(pod: Pod, status: PodStatus): PodStatus {
  const messageBytes = Math.floor(POD_TERMINATION_MESSAGE_BYTES / Math.max(1, podContainers(pod).length));
  const normalize = (containers: readonly ContainerStatus[]): ContainerStatus[] =>
    containers.map((container) => normalizeContainer(container, messageBytes));
  const { startTime, conditions, initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = status;
  return {
    ...status,
    ...(startTime && { startTime: wholeSeconds(startTime) }),
    ...(conditions && { conditions: conditions.map(normalizeCondition) }),
    ...(initContainerStatuses && {
      initContainerStatuses: inSpecOrder(pod, normalize(initContainerStatuses)),
    }),
    ...(containerStatuses && { containerStatuses: sortByName(normalize(containerStatuses)) }),
    ...(ephemeralContainerStatuses && {
      ephemeralContainerStatuses: sortByName(normalize(ephemeralContainerStatuses)),
    }),
  };
}

/** Sorts in place. Container names are DNS labels, so code unit order equals byte order, and unique in a pod. */
export function sortByName<T extends { readonly name: string }>(statuses: T[]): T[] {
  return statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Statuses of containers that are not in the spec come last. */
function inSpecOrder(pod: Pod, statuses: ContainerStatus[]): ContainerStatus[] {
  const places = new Map(podContainers(pod, ['init']).map(({ container, index }) => [container.name, index]));
  const place = ({ name }: ContainerStatus): number => places.get(name) ?? places.size;
  return statuses.sort((a, b) => place(a) - place(b));
}

function wholeSeconds(time: string): string {
  return time.replace(/\.\d+/, '');
}

function normalizeCondition(condition: PodCondition): PodCondition {
  const { lastProbeTime, lastTransitionTime } = condition;
  return {
    ...condition,
    ...(lastProbeTime && { lastProbeTime: wholeSeconds(lastProbeTime) }),
    ...(lastTransitionTime && { lastTransitionTime: wholeSeconds(lastTransitionTime) }),
  };
}

function normalizeContainer(container: ContainerStatus, messageBytes: number): ContainerStatus {
  return {
    ...container,
    ...(container.state !== undefined && { state: normalizeState(container.state, messageBytes) }),
    ...(container.lastState !== undefined && { lastState: normalizeState(container.lastState, messageBytes) }),
  };
}

function normalizeState({ running, terminated, ...rest }: ContainerState, messageBytes: number): ContainerState {
  return {
    ...rest,
    ...(running !== undefined && {
      running: { ...running, ...(running.startedAt && { startedAt: wholeSeconds(running.startedAt) }) },
    }),
    ...(terminated !== undefined && {
      terminated: {
        ...terminated,
        ...(terminated.startedAt && { startedAt: wholeSeconds(terminated.startedAt) }),
        ...(terminated.finishedAt && { finishedAt: wholeSeconds(terminated.finishedAt) }),
        ...(terminated.message && { message: headOf(terminated.message, messageBytes) }),
      },
    }),
  };
}

/** Returns the longest prefix of a text that fits into `maxBytes` of UTF-8. */
function headOf(text: string, bytes: number): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

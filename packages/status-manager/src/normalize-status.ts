import type { ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';

/** Bytes that the termination messages of all containers of a pod may have together, shared out evenly. */
const POD_TERMINATION_MESSAGE_BYTES = 12 * 1024;

/**
 * The status in the form in which it is compared and published: times with whole seconds, as `metav1.Time` has them; termination messages cut to the
 * container's share, keeping their heads; init containers in spec order, others by name.
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

/** Sorts in place. Container names are DNS labels, so that the order of code units is the order of bytes. */
export function sortByName<T extends { readonly name: string }>(statuses: T[]): T[] {
  return statuses.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Statuses of containers that the spec does not have come last. */
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

/** The first characters of a text that fit into so many bytes of UTF-8. */
function headOf(text: string, bytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= bytes) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

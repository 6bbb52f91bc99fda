import type { EnsuredImage } from '@rxlet/agent-api/images';
import { formatGoDuration } from '@rxlet/component-base/go';
import {
  containerFieldPath,
  type ContainerKind,
  formatPod,
  isSidecar,
  podEventObject,
  type PodEventObject,
} from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import { resizePod, type ResizePodPorts } from '../resize/resize-pod.ts';
import { createEtcHosts, type EtcHosts } from './container-mounts.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { beginImagePulls, type ImagePullPorts, type ImagePulls, type PlannedStart } from './image-pulls.ts';
import {
  ensureImageVolumes,
  imageVolumeFailures,
  imageVolumeMounts,
  type ImageVolumes,
  isImageMountFailure,
} from './image-volumes.ts';
import { startContainer, type StartContainerPorts } from './start-container.ts';
import { failedResult, StepFailure } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** Ports of {@link startContainers}. */
export type StartContainersPorts = StartContainerPorts & ImagePullPorts & ResizePodPorts;

/** State shared by the starts of one sync. */
interface Starts {
  readonly run: SyncRun<StartContainersPorts>;
  readonly sandbox: SandboxHandle;
  readonly imageVolumes: ImageVolumes;
  readonly etcHosts: EtcHosts;
  readonly pulls: ImagePulls;
}

/** Containers to start, in order. */
interface StartPlan {
  readonly ephemeral: readonly PlannedStart[];
  readonly init: readonly PlannedStart[];
  readonly regular: readonly PlannedStart[];
}

/** Resolves the indexes of the actions to containers. */
function planStarts({ pod, actions }: SyncRun<unknown>): StartPlan {
  const { ephemeralContainers = [], initContainers = [], containers } = pod.spec!;
  const planned = (
    kind: ContainerKind,
    list: readonly PlannedStart['container'][],
    indexes: readonly number[],
  ): PlannedStart[] => indexes.map((index) => ({ kind, container: list[index]! }));
  return {
    ephemeral: planned('ephemeral', ephemeralContainers, actions.ephemeralContainersToStart),
    init: planned('init', initContainers, actions.initContainersToStart),
    regular: planned('regular', containers, actions.containersToStart),
  };
}

/**
 * Starts containers in order: ephemeral, init, then regular ones. Running containers are resized before regular ones start. Only the failure of a regular init
 * container keeps later containers from starting.
 */
export async function startContainers(run: SyncRun<StartContainersPorts>, sandbox: SandboxHandle): Promise<void> {
  const plan = planStarts(run);
  const imageVolumes = await ensureImageVolumes(run, sandbox);
  await using pulls = beginImagePulls(run, sandbox, certainStarts(plan));
  const etcHosts = createEtcHosts(run.ports, run.pod, sandbox.ips);
  const starts: Starts = { run, sandbox, imageVolumes, etcHosts, pulls };

  for (const planned of plan.ephemeral) await startOne(starts, planned);
  for (const planned of plan.init) {
    const started = await startOne(starts, planned);
    // Later containers depend on it.
    if (!started && isRegularInit(planned)) return;
  }
  run.signal?.throwIfAborted();
  await resizePod(run);
  for (const planned of plan.regular) await startOne(starts, planned);
}

/** Returns the starts that do not depend on others: all up to the first regular init container. */
function certainStarts({ ephemeral, init, regular }: StartPlan): PlannedStart[] {
  const all = [...ephemeral, ...init, ...regular];
  const first = all.findIndex(isRegularInit);
  return first < 0 ? all : all.slice(0, first + 1);
}

function isRegularInit({ kind, container }: PlannedStart): boolean {
  return kind === 'init' && !isSidecar(container);
}

const metricTypes: Readonly<Record<ContainerKind, string>> = {
  init: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

/** Starts one container and records the result. Returns whether it started. */
async function startOne(
  { run, sandbox, imageVolumes, etcHosts, pulls }: Starts,
  { kind, container }: PlannedStart,
): Promise<boolean> {
  const { ports, pod, status, record, signal } = run;
  const labels = { container_type: metricTypes[kind] };
  const object = podEventObject(pod, containerFieldPath(kind, container.name));
  const imageMounts = imageVolumeMounts(container, imageVolumes);
  try {
    signal?.throwIfAborted();
    checkCrashLoop(run, container, object);
    ports.metrics.startedContainers.inc(labels);
    checkImageVolumes(run, container, object, imageVolumes);
    ports.metrics.requestedImageVolumes.inc({}, imageMounts);
    const image = (): Promise<EnsuredImage> => pulls.imageFor({ kind, container });
    await startContainer(ports, { pod, kind, container, status, sandbox, image, imageVolumes, etcHosts, signal });
    ports.metrics.mountedImageVolumes.inc({}, imageMounts);
    record({ action: 'StartContainer', target: container.name });
    return true;
  } catch (error) {
    const result = failedResult('StartContainer', container.name, error, 'RunContainerError');
    if (result.reason !== 'CrashLoopBackOff' && signal?.aborted !== true) {
      ports.metrics.startedContainerErrors.inc({ ...labels, code: result.reason ?? '' });
      if (isImageMountFailure(result)) ports.metrics.imageVolumeErrors.inc({}, imageMounts);
      ports.logger.warn('cannot start container', { pod: formatPod(pod), ...result });
    }
    record(result);
    return false;
  }
}

/** Checks the back-off of a container. @throws StepFailure while it is pending */
function checkCrashLoop(
  { ports: { backoff, events, journal }, pod, status }: SyncRun<Pick<Context, 'backoff' | 'events' | 'journal'>>,
  container: PlannedStart['container'],
  object: PodEventObject,
): void {
  const wait = backoff.admit(pod, container, status);
  const { name } = container;
  const span = { kind: 'container.backoff', container: name } as const;
  if (wait === undefined) return journal.release(pod.metadata, span);
  const { delayMs, untilMs } = wait;
  journal.hold(pod.metadata, { ...span, attributes: { delayMs, untilMs: Math.round(untilMs) } });
  const subject = formatPod(pod);
  events.event(object, 'Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${subject}`);
  throw new StepFailure(
    'CrashLoopBackOff',
    `back-off ${formatGoDuration(wait.delayMs)} restarting failed container=${name} pod=${subject}`,
    { backoffUntilMs: wait.untilMs },
  );
}

/** Records an event for each missing image of a volume that the container mounts. @throws StepFailure the last of them */
function checkImageVolumes(
  { ports: { events } }: SyncRun<Pick<Context, 'events'>>,
  container: PlannedStart['container'],
  object: PodEventObject,
  imageVolumes: ImageVolumes,
): void {
  const failures = imageVolumeFailures(container, imageVolumes);
  for (const { reason } of failures) events.event(object, 'Warning', 'Failed', `Error: ${reason}`);
  const last = failures.at(-1);
  if (last !== undefined) throw last;
}

import { formatGoDuration } from '@rxlet/component-base';
import {
  containerFieldPath,
  type ContainerKind,
  formatPod,
  isSidecar,
  podEventObject,
  type PodEventObject,
} from '@rxlet/pod-model';
import type { EnsuredImage } from '../ports.ts';
import { resizePod } from '../resize/resize-pod.ts';
import { createEtcHosts, type EtcHosts } from './container-mounts.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { beginImagePulls, type ImagePulls, type PlannedStart } from './image-pulls.ts';
import { ensureImageVolumes, imageVolumeFailures, type ImageVolumes } from './image-volumes.ts';
import { startContainer } from './start-container.ts';
import { failedResult, StepFailure } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/** What the containers that one sync starts have in common. */
interface Starts {
  readonly run: SyncRun;
  readonly sandbox: SandboxHandle;
  readonly imageVolumes: ImageVolumes;
  readonly etcHosts: EtcHosts;
  readonly pulls: ImagePulls;
}

/** The containers that a sync wants started, in order. */
interface StartPlan {
  readonly ephemeral: readonly PlannedStart[];
  readonly init: readonly PlannedStart[];
  readonly regular: readonly PlannedStart[];
}

/** Names what was decided by index. */
function planStarts({ pod, actions }: SyncRun): StartPlan {
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
 * Starts what a sync wants started: ephemeral containers, init containers, regular ones; these after those that run were resized. A failure of one is of no
 * concern to the others, save that of a regular init container.
 */
export async function startContainers(run: SyncRun, sandbox: SandboxHandle): Promise<void> {
  const plan = planStarts(run);
  const imageVolumes = await ensureImageVolumes(run, sandbox);
  await using pulls = beginImagePulls(run, sandbox, certainStarts(plan));
  const etcHosts = createEtcHosts(run.context, run.pod, sandbox.ips);
  const starts: Starts = { run, sandbox, imageVolumes, etcHosts, pulls };

  for (const planned of plan.ephemeral) await startOne(starts, planned);
  for (const planned of plan.init) {
    const started = await startOne(starts, planned);
    // Whatever comes after a regular init container relies on it.
    if (!started && isRegularInit(planned)) return;
  }
  run.signal?.throwIfAborted();
  await resizePod(run);
  for (const planned of plan.regular) await startOne(starts, planned);
}

/** Those that are started whatever becomes of the others: all up to the first regular init container. */
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

/** @returns whether the container started. */
async function startOne(
  { run, sandbox, imageVolumes, etcHosts, pulls }: Starts,
  { kind, container }: PlannedStart,
): Promise<boolean> {
  const { context, pod, status, record, signal } = run;
  const labels = { container_type: metricTypes[kind] };
  const object = podEventObject(pod, containerFieldPath(kind, container.name));
  try {
    signal?.throwIfAborted();
    checkCrashLoop(run, container, object);
    context.metrics.startedContainers.inc(labels);
    checkImageVolumes(run, container, object, imageVolumes);
    const image = (): Promise<EnsuredImage> => pulls.imageFor({ kind, container });
    await startContainer(context, { pod, kind, container, status, sandbox, image, imageVolumes, etcHosts, signal });
    record({ action: 'StartContainer', target: container.name });
    return true;
  } catch (error) {
    const result = failedResult('StartContainer', container.name, error, 'RunContainerError');
    if (result.reason !== 'CrashLoopBackOff' && signal?.aborted !== true) {
      context.metrics.startedContainerErrors.inc({ ...labels, code: result.reason ?? '' });
      context.logger.warn('cannot start container', { pod: formatPod(pod), ...result });
    }
    record(result);
    return false;
  }
}

/** @throws StepFailure while the container has to wait. */
function checkCrashLoop(
  { context: { backoff, events }, pod, status }: SyncRun,
  container: PlannedStart['container'],
  object: PodEventObject,
): void {
  const wait = backoff.admit(pod, container, status);
  if (wait === undefined) return;
  const { name } = container;
  const subject = formatPod(pod);
  events.event(object, 'Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${subject}`);
  throw new StepFailure(
    'CrashLoopBackOff',
    `back-off ${formatGoDuration(wait.delayMs)} restarting failed container=${name} pod=${subject}`,
    { backoffUntilMs: wait.untilMs },
  );
}

/** @throws StepFailure when the image of a volume that the container mounts is not there: the last one's, as each is told of in an event. */
function checkImageVolumes(
  { context: { events } }: SyncRun,
  container: PlannedStart['container'],
  object: PodEventObject,
  imageVolumes: ImageVolumes,
): void {
  const failures = imageVolumeFailures(container, imageVolumes);
  for (const { reason } of failures) events.event(object, 'Warning', 'Failed', `Error: ${reason}`);
  const last = failures.at(-1);
  if (last !== undefined) throw last;
}

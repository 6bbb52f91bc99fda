import { formatGoDuration } from '@rxlet/component-base';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import {
  containerFieldPath,
  type ContainerKind,
  formatPod,
  isSidecar,
  podEventObject,
  type RuntimePodStatus,
} from '@rxlet/pod-model';
import type { Context } from '../context.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { startContainer } from './start-container.ts';
import { failedResult, StepFailure } from './step-failure.ts';
import type { SyncRun } from './sync-run.ts';

/**
 * Starts what a sync wants started: ephemeral containers, init containers, regular ones. A failure of one is of no concern to the others, save that of a
 * regular init container.
 */
export async function startContainers(run: SyncRun, sandbox: SandboxHandle): Promise<void> {
  const { ephemeralContainers = [], initContainers = [], containers } = run.pod.spec!;
  const { ephemeralContainersToStart, initContainersToStart, containersToStart } = run.actions;
  for (const index of ephemeralContainersToStart)
    await startOne(run, sandbox, 'ephemeral', ephemeralContainers[index]!);
  for (const index of initContainersToStart) {
    const container = initContainers[index]!;
    const started = await startOne(run, sandbox, 'init', container);
    // Whatever comes after a regular init container relies on it.
    if (!started && !isSidecar(container)) return;
  }
  for (const index of containersToStart) await startOne(run, sandbox, 'regular', containers[index]!);
}

const metricTypes: Readonly<Record<ContainerKind, string>> = {
  init: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

/** @returns whether the container started. */
async function startOne(
  { context, pod, status, record, signal }: SyncRun,
  sandbox: SandboxHandle,
  kind: ContainerKind,
  container: Container | EphemeralContainer,
): Promise<boolean> {
  const labels = { container_type: metricTypes[kind] };
  try {
    signal?.throwIfAborted();
    checkCrashLoop(context, pod, kind, container, status);
    context.metrics.startedContainers.inc(labels);
    await startContainer(context, { pod, kind, container, status, sandbox, signal });
    record({ action: 'StartContainer', target: container.name });
    return true;
  } catch (error) {
    const result = failedResult('StartContainer', container.name, error, 'RunContainerError');
    if (result.reason !== 'CrashLoopBackOff') {
      context.metrics.startedContainerErrors.inc({ ...labels, code: result.reason ?? '' });
      context.logger.warn('cannot start container', { pod: formatPod(pod), ...result });
    }
    record(result);
    return false;
  }
}

/** @throws StepFailure while the container has to wait. */
function checkCrashLoop(
  { backoff, events }: Context,
  pod: Pod,
  kind: ContainerKind,
  container: Container | EphemeralContainer,
  status: RuntimePodStatus,
): void {
  const wait = backoff.admit(pod, container, status);
  if (wait === undefined) return;
  const { name } = container;
  const object = podEventObject(pod, containerFieldPath(kind, name));
  const subject = formatPod(pod);
  events.event(object, 'Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${subject}`);
  throw new StepFailure(
    'CrashLoopBackOff',
    `back-off ${formatGoDuration(wait.delayMs)} restarting failed container=${name} pod=${subject}`,
    { backoffUntilMs: wait.untilMs },
  );
}

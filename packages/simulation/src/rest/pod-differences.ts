import { ContainerState, type ContainerStatus, PodSandboxState } from '@rxlet/cri-api';
import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar, isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { containerShouldRestart } from '@rxlet/pod-model/restart';
import { alwaysCrashes, endsByItself } from '../workload/pod-kinds.ts';
import { endlessContainers } from '../workload/restart-rules.ts';
import type { TestNode } from '@rxlet/testing';

/** Returns the differences between the actual and the expected state of a pod. */
export function differences(bench: TestNode, pod: Pod, lost: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const uid = podUid(pod);
  const reportProblem = (what: string): void => void problems.push(`${uid}: ${what}`);
  const { sandboxes, containers } = bench.fake.snapshot();
  const mine = containers.filter(({ labels }) => labels[PodLabel.podUid] === uid);
  const running = mine
    .filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
    .map(({ labels }) => labels[PodLabel.containerName] ?? '');
  const status = bench
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.uid === uid)?.status;
  const newest = (name: string): ContainerStatus | undefined =>
    mine
      .filter(({ labels }) => labels[PodLabel.containerName] === name)
      .sort((a, b) => (a.metadata?.attempt ?? 0) - (b.metadata?.attempt ?? 0))
      .at(-1);
  const mayRestart = (spec: Container, instance: ContainerStatus | undefined): boolean =>
    instance?.state !== ContainerState.CONTAINER_EXITED || containerShouldRestart(spec, pod, instance.exitCode);
  const { containers: apps = [], initContainers = [] } = pod.spec ?? {};

  const initFailed = initContainers.some((spec) => {
    const instance = newest(spec.name);
    return !isSidecar(spec) && instance?.exitCode !== 0 && !mayRestart(spec, instance);
  });
  const completed = initFailed || apps.every((spec) => !mayRestart(spec, newest(spec.name)));
  // As in the kubelet, a pod that is never restarted gets no new sandbox once it had a container, and then waits forever: also with containers that have a policy of their own.
  const isWaiting = apps.some(({ name, restartPolicy }) => !newest(name)?.startedAt || restartPolicy !== undefined);
  const ready = sandboxes.filter(
    ({ labels, state }) => labels[PodLabel.podUid] === uid && state === PodSandboxState.SANDBOX_READY,
  );
  // As in the kubelet, one whose containers are never restarted by policies of their own has ended as soon as all are dead, also when a new sandbox was about to run them again.
  if (
    isTerminalPhase(status?.phase) &&
    apps.some(({ restartPolicy }) => restartPolicy) &&
    endlessContainers(pod).length === 0
  )
    return running.map((name) => `${uid}: ${name} runs although its pod has ended`);
  if (pod.spec?.restartPolicy === 'Never' && isWaiting && ready.length === 0 && mine.length > 0)
    return running.map((name) => `${uid}: ${name} runs although no sandbox is ready`);
  if (ready.length !== (completed ? 0 : 1)) reportProblem(`${String(ready.length)} sandboxes are ready`);
  // A sandbox stays with the latest dead container of a name.
  const old = sandboxes.filter(({ labels }) => labels[PodLabel.podUid] === uid).length - ready.length;
  const dead = mine.filter(({ state }) => state === ContainerState.CONTAINER_EXITED).length;
  if (!completed && old > dead) reportProblem(`${String(old)} old sandboxes are left`);

  for (const spec of [...apps, ...initContainers]) {
    // A container that always crashes is in any state.
    if (alwaysCrashes(spec)) continue;
    const instance = newest(spec.name);
    const runs = instance?.state === ContainerState.CONTAINER_RUNNING;
    const runsToItsEnd = initContainers.includes(spec) && !isSidecar(spec);
    const shouldRun = !completed && !runsToItsEnd && (isSidecar(spec) || mayRestart(spec, instance));
    if (runs !== shouldRun) reportProblem(`${spec.name} ${runs ? 'runs' : 'does not run'}`);
    if (runs && endsByItself(spec)) reportProblem(`${spec.name} has not ended yet`);
    const image = instance?.image?.image;
    if (runs && image !== spec.image) reportProblem(`${spec.name} runs ${String(image)}, not ${String(spec.image)}`);
    const shown = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
      ({ name }) => name === spec.name,
    );
    if (instance === undefined) continue;
    const shownState = Object.keys(shown?.state ?? {}).join();
    if (!shown?.containerID?.endsWith(instance.id))
      reportProblem(`${spec.name} is shown as ${shown?.containerID ?? 'none'}`);
    // A lost run counts as well, but the runtime numbers instances by those that it has.
    const { restartCount = -1 } = shown ?? {};
    const attempt = instance.metadata?.attempt ?? 0;
    if (lost.has(`${uid}/${spec.name}`) ? restartCount < attempt : restartCount !== attempt)
      reportProblem(`${spec.name} has attempt ${String(attempt)}, and is shown with ${String(restartCount)}`);
    if (shownState !== (runs ? 'running' : 'terminated')) reportProblem(`${spec.name} is shown ${shownState}`);
  }
  const phases = completed ? ['Succeeded', 'Failed'] : ['Running'];
  if (!phases.includes(status?.phase ?? '')) reportProblem(`its phase is ${String(status?.phase)}`);
  if (apps.some(alwaysCrashes)) return problems;
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
  const allRun = apps.every((spec) => newest(spec.name)?.state === ContainerState.CONTAINER_RUNNING);
  if (!completed && isReady !== allRun) reportProblem(`it is shown ${isReady ? 'ready' : 'not ready'}`);
  return problems;
}

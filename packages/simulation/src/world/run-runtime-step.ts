import { ContainerState, type ContainerStatus, PodSandboxState } from '@rxlet/cri-api';
import { PodLabel, podUid } from '@rxlet/pod-model';
import type { RuntimeStep } from '../workload/step.ts';
import type { Later } from './later.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Runs a step that concerns the runtime of a node. */
export function runRuntimeStep(step: RuntimeStep, subject: SimulatedNode, later: Later): void {
  const { fake } = subject.node;
  switch (step.do) {
    case 'exit': {
      const victim = runningAt(subject, step.name, step.index);
      if (victim !== undefined) fake.exitContainer(victim.id, step.code);
      break;
    }
    case 'fail-sandbox':
      failSandbox(subject, step.name);
      break;
    case 'lose':
      loseContainer(subject, step.name, step.index);
      break;
    case 'fault':
      fake.setFailpoint(step.rpc, step.failpoint, step.place);
      break;
    case 'event-faults':
      fake.setEventFaults(step.faults);
      later.add(step.ms, () => endEventFaults(subject));
      break;
    case 'outage':
      if (!fake.running) break;
      fake.stop();
      later.add(step.ms, () => fake.start());
  }
}

/** Ends the faults of events that are not permanent. */
export function endEventFaults({ node, lasting }: SimulatedNode): void {
  node.fake.setEventFaults(lasting?.kind === 'no-events' ? { drop: 1 } : {});
}

function runningAt({ node }: SimulatedNode, name: string, index: number): ContainerStatus | undefined {
  const running = node.fake
    .snapshot()
    .containers.filter(
      ({ labels, state }) => labels[PodLabel.podName] === name && state === ContainerState.CONTAINER_RUNNING,
    );
  return running[index % running.length];
}

function failSandbox(subject: SimulatedNode, name: string): void {
  expectLostInits(subject, name);
  const { fake } = subject.node;
  for (const { id, metadata, state } of fake.snapshot().sandboxes)
    if (metadata?.name === name && state === PodSandboxState.SANDBOX_READY) fake.failSandbox(id);
}

/** Records that the init containers of pods whose sandbox is about to die may be lost. Without a name: of all pods. */
export function expectLostInits({ node, desired, history, lost }: SimulatedNode, name?: string): void {
  for (const { metadata, state } of node.fake.snapshot().sandboxes) {
    if (metadata === undefined) continue;
    if (name !== undefined && (metadata.name !== name || state !== PodSandboxState.SANDBOX_READY)) continue;
    const pod = [...desired.values()].find((one) => podUid(one) === metadata.uid);
    // As in the kubelet, init containers are removed with their logs before they run again in a new sandbox. An agent that starts in between takes them for
    // lost.
    for (const init of pod?.spec?.initContainers ?? []) {
      history.add({ kind: 'lost', uid: metadata.uid, container: init.name });
      lost.add(`${metadata.uid}/${init.name}`);
    }
  }
}

function loseContainer(subject: SimulatedNode, name: string, index: number): void {
  const { node, desired, history, lost } = subject;
  const { restartPolicy, containers = [] } = desired.get(name)?.spec ?? {};
  // A container that is never restarted may have ended or may never have existed, depending on what the agent observed. And the fake runtime never ends an exec
  // in a lost container, while hooks have no time limit.
  if (restartPolicy === 'Never' || containers.some((one) => one.lifecycle ?? one.restartPolicy)) return;
  const victim = runningAt(subject, name, index);
  if (victim === undefined) return;
  const [uid, container] = [victim.labels[PodLabel.podUid] ?? '', victim.labels[PodLabel.containerName] ?? ''];
  history.add({ kind: 'lost', uid, container });
  lost.add(`${uid}/${container}`);
  node.fake.loseContainer(victim.id);
}

import { isMirrorPod, PodAnnotation, podUid } from '@rxlet/pod-model';
import type { TestCluster } from '@rxlet/testing';
import { lastingAnnotations, withLastingFault } from '../faults/apply-lasting-fault.ts';
import { healthAnnotations } from '../workload/health.ts';
import { type PartStep, resizedContainers, type ResizeStep, withExtras } from '../workload/part-steps.ts';
import { modelPod } from '../workload/pod-kinds.ts';
import { type ApiStep, type ServerStep, type SourceStep, type Step, stepFacts } from '../workload/step.ts';
import type { Later } from './later.ts';
import { movePod } from './move-pod.ts';
import { runApiStep } from './run-api-step.ts';
import { runRuntimeStep } from './run-runtime-step.ts';
import { replaceNode, runConnectionStep, runServerStep } from './run-server-step.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { World } from './world.ts';

/** Steps that concern the life of the agent, which the run loop carries out. */
export type LifeStep = Extract<Step, { do: 'kill' | 'stop' | 'power-failure' | 'shutdown' }>;

/** A step that does not concern the life of an agent, with the node that it concerns. */
export interface WorldStep {
  readonly step: Exclude<Step, LifeStep>;
  /** Default: all nodes. */
  readonly node?: string | undefined;
}

/** Runs a step that does not concern the life of an agent. */
export function runStep({ step, node: name }: WorldStep, world: World, later: Later): void {
  const nodes = name === undefined ? world.nodes : world.nodes.filter((one) => one.name === name);
  const [first] = nodes;
  if (first === undefined) throw new Error(`there is no node ${String(name)}`);
  const { history } = name === undefined ? world : first;
  history.add({ kind: 'step', ...stepFacts(step) });
  switch (step.do) {
    case 'set':
    case 'unset':
      for (const one of nodes) changeStatic(step, one);
      world.publish();
      break;
    case 'create':
    case 'delete':
    case 'move':
    case 'hold':
    case 'label':
    case 'image':
    case 'overwrite':
    case 'object':
      changeApi(step, first, world, later);
      break;
    case 'api-fault':
    case 'watches':
    case 'stale':
    case 'api-outage':
      if (name === undefined) runServerStep(step, clusterOf(first, step).kube, later);
      else runConnectionStep(step, clusterOf(first, step), later);
      break;
    case 'node-gone':
      for (const one of nodes) replaceNode(step.ms, clusterOf(one, step), later);
      break;
    case 'clock':
      world.clock.setWallClock(world.clock.now() + step.jumpMs);
      break;
    case 'resize':
    case 'pressure':
    case 'devices':
    case 'claims':
    case 'debug':
    case 'registry':
      for (const one of nodes) runPartStep(step, one, later);
      // It may have changed pods of the API server.
      world.publish();
      break;
    default:
      for (const one of nodes) runNodeStep(step, one, later);
  }
}

function runPartStep(step: PartStep, subject: SimulatedNode, later: Later): void {
  if (step.do === 'resize' && subject.statics.has(step.name)) resizeStatic(step, subject);
  else if (!subject.parts.some((part) => part.run(step, later)))
    throw new Error(`no part of the world has the step ${step.do}`);
}

type NodeStep = Exclude<WorldStep['step'], SourceStep | ApiStep | ServerStep | PartStep | { readonly do: 'clock' }>;

/** Runs a step that concerns the machine of a node. */
function runNodeStep(step: NodeStep, subject: SimulatedNode, later: Later): void {
  const { throwing, host } = subject;
  switch (step.do) {
    case 'throw':
      throwing.arm(step.place, step.times);
      break;
    case 'disk':
      host.breakDisk(step.code, step.isOnlyWriting);
      later.add(step.ms, () => host.repairDisk());
      break;
    case 'mounts':
      host.failMounts(step.operation, step.times);
      break;
    default:
      runRuntimeStep(step, subject, later);
  }
}

function clusterOf({ cluster }: SimulatedNode, step: Step): TestCluster {
  if (cluster === undefined) throw new Error(`there is no API server for the step ${step.do}`);
  return cluster;
}

/** Sends the request of a user to the API server. A new pod is bound to the node. */
function changeApi(step: ApiStep, subject: SimulatedNode, world: World, later: Later): void {
  const cluster = clusterOf(subject, step);
  const pod = 'name' in step ? cluster.pod(step.name) : undefined;
  const { history } = world.nodes.find(({ name }) => name === pod?.spec?.nodeName) ?? subject;
  if (step.do === 'image') history.add({ kind: 'replaced', uid: podUid(pod ?? {}) });
  // A pod that is being deleted already may get another grace period.
  if (
    (step.do === 'delete' || step.do === 'move') &&
    pod?.metadata?.deletionTimestamp !== undefined &&
    !isMirrorPod(pod)
  )
    history.add({ kind: 'undesired', uid: podUid(pod), graceSeconds: step.graceSeconds });
  if (step.do === 'move') {
    movePod(step, world, later);
    return;
  }
  runApiStep(step, cluster, { annotations: 'name' in step ? lastingAnnotations(world.plan.lasting, step.name) : {} });
  world.publish(step.do === 'delete' ? step.graceSeconds : undefined);
}

/** Changes the resources in the manifest of a static pod, which has its UID from there. */
function resizeStatic(step: ResizeStep, { node, statics }: SimulatedNode): void {
  const pod = statics.get(step.name);
  if (pod?.spec?.containers[0]?.resources?.requests === undefined) return;
  const containers = resizedContainers(pod.spec.containers, step);
  statics.set(step.name, { ...pod, spec: { ...pod.spec, containers } });
  node.desire(...statics.values());
}

/** Changes the static pods. Each kind, version and health has a UID of its own, as a changed manifest has. */
function changeStatic(step: SourceStep, { node, cluster, statics, plan }: SimulatedNode): void {
  if (step.do === 'unset') {
    statics.delete(step.name);
  } else {
    const { extras = {} } = step;
    const model = modelPod(step.name, step.kind, step.version);
    const spec = withExtras(model.spec!, extras);
    const ownAnnotations = { ...model.metadata?.annotations, ...healthAnnotations(spec.containers) };
    const uid = extras.health === undefined ? podUid(model) : `${podUid(model)}-${extras.health}`;
    const metadata = { ...model.metadata, uid, annotations: ownAnnotations };
    const pod = withLastingFault({ ...model, metadata, spec }, plan.lasting);
    if (cluster === undefined) {
      statics.set(step.name, pod);
    } else {
      const annotations = { ...pod.metadata?.annotations, [PodAnnotation.configHash]: podUid(pod) };
      statics.set(step.name, {
        ...pod,
        metadata: { ...pod.metadata, annotations },
        spec: { ...pod.spec!, nodeName: node.name },
      });
    }
  }
  node.desire(...statics.values());
}

import { isMirrorPod, PodAnnotation, podUid } from '@rxlet/pod-model';
import { lastingAnnotations, withLastingFault } from '../faults/apply-lasting-fault.ts';
import { modelPod } from '../workload/pod-kinds.ts';
import { describeStep, type SourceStep, type Step } from '../workload/step.ts';
import type { Later } from './later.ts';
import { runApiStep } from './run-api-step.ts';
import { runRuntimeStep } from './run-runtime-step.ts';
import { runServerStep } from './run-server-step.ts';
import type { World } from './world.ts';

/** Steps that concern the life of the agent, which the run loop carries out. */
export type LifeStep = Extract<Step, { do: 'kill' | 'stop' | 'power-failure' | 'shutdown' }>;

/** Runs a step that does not concern the life of the agent. */
export function runStep(step: Exclude<Step, LifeStep>, world: World, later: Later): void {
  const { node, cluster, history, throwing, host, plan, parts } = world;
  history.add({ kind: 'step', text: describeStep(step) });
  switch (step.do) {
    case 'set':
    case 'unset':
      changeStatic(step, world);
      world.publish();
      break;
    case 'create':
    case 'delete':
    case 'hold':
    case 'label':
    case 'image':
    case 'overwrite':
    case 'object':
      if (cluster === undefined) throw new Error(`there is no API server for the step ${step.do}`);
      if (step.do === 'image') history.add({ kind: 'replaced', uid: podUid(cluster.pod(step.name) ?? {}) });
      if (step.do === 'delete') recordShorterGrace(step, world);
      runApiStep(step, cluster, { annotations: 'name' in step ? lastingAnnotations(plan.lasting, step.name) : {} });
      world.publish(step.do === 'delete' ? step.graceSeconds : undefined);
      break;
    case 'api-fault':
    case 'watches':
    case 'stale':
    case 'api-outage':
    case 'node-gone':
      if (cluster === undefined) throw new Error(`there is no API server for the step ${step.do}`);
      runServerStep(step, cluster, later);
      break;
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
    case 'clock':
      node.clock.setWallClock(node.clock.now() + step.jumpMs);
      break;
    case 'resize':
    case 'pressure':
    case 'devices':
      if (!parts.some((part) => part.run(step, later))) throw new Error(`no part of the world has the step ${step.do}`);
      world.publish();
      break;
    default:
      runRuntimeStep(step, world, later);
  }
}

/** Records that a pod which is being deleted already may get another grace period. */
function recordShorterGrace({ name, graceSeconds }: Extract<Step, { do: 'delete' }>, world: World): void {
  const pod = world.cluster?.pod(name);
  if (pod?.metadata?.deletionTimestamp !== undefined && !isMirrorPod(pod))
    world.history.add({ kind: 'undesired', uid: podUid(pod), graceSeconds });
}

/** Changes the static pods. Each kind and version has a UID of its own, as a changed manifest has. */
function changeStatic(step: SourceStep, { node, cluster, statics, plan }: World): void {
  if (step.do === 'unset') {
    statics.delete(step.name);
  } else {
    const pod = withLastingFault(modelPod(step.name, step.kind, step.version), plan.lasting);
    if (cluster === undefined) {
      statics.set(step.name, pod);
    } else {
      const annotations = { ...pod.metadata?.annotations, [PodAnnotation.configHash]: podUid(pod) };
      statics.set(step.name, {
        ...pod,
        metadata: { ...pod.metadata, annotations },
        spec: { ...pod.spec!, nodeName: 'node1' },
      });
    }
  }
  node.desire(...statics.values());
}

import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isMirrorPod, podUid } from '@rxlet/pod-model';
import { lastingAnnotations } from '../faults/apply-lasting-fault.ts';
import type { ApiStep } from '../workload/step.ts';
import type { Later } from './later.ts';
import type { World } from './world.ts';

/** Time between two looks of the controller. */
const POLL_MS = 500;
/** Time after which the controller gives up, such as when a finalizer holds the pod. */
const LIMIT_MS = 120_000;

/** Deletes a pod, and creates it with another UID on another node once it is gone: a name belongs to one pod at a time. */
export function movePod(step: Extract<ApiStep, { do: 'move' }>, world: World, later: Later): void {
  const { kube, nodes, clock, plan } = world;
  const target = nodes.find(({ name }) => name === step.to)?.cluster;
  if (kube === undefined || target === undefined) throw new Error(`there is no node ${step.to} to move a pod to`);
  const find = (): Pod | undefined => kube.objects.get(resources.pods, step.name, 'default') as Pod | undefined;
  const moved = find();
  if (moved?.spec === undefined || isMirrorPod(moved)) return;
  const untilMs = clock.monotonicNow() + LIMIT_MS;
  const { spec } = moved;
  kube.objects.delete(resources.pods, step.name, 'default', step.graceSeconds);
  world.publish(step.graceSeconds);
  const look = (): void => {
    const found = find();
    if (found === undefined) {
      target.bind(step.name, spec, { annotations: lastingAnnotations(plan.lasting, step.name) });
      world.publish();
    } else if (podUid(found) === podUid(moved) && clock.monotonicNow() < untilMs) {
      later.add(POLL_MS, look);
    }
  };
  look();
}

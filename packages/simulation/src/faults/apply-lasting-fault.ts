import { type AgentModule, contribute, podSteps } from '@rxlet/agent-api';
import { onAbort } from '@rxlet/component-base';
import { nodeUser } from '@rxlet/fake-kube';
import type { Pod } from '@rxlet/kube-api';
import type { TestCluster, TestNode } from '@rxlet/testing';
import type { LastingFault } from './lasting-faults.ts';

/** Starts a permanent fault, where it is one of the node or of the cluster from the beginning. */
export function startLastingFault(
  fault: LastingFault | undefined,
  { fake, name }: TestNode,
  cluster: TestCluster | undefined,
): void {
  if (fault?.kind === 'no-events') fake.setEventFaults({ drop: 1 });
  if (fault?.kind === 'slow-rpc') slowDown(fault, fake);
  if (fault?.kind === 'hanging-events')
    cluster?.kube.faults.add({ match: { resource: 'events', user: nodeUser(name).name }, action: { type: 'hang' } });
}

/** Sets the failpoint of a slow RPC, which the end of the other faults removes. */
export function slowDown({ rpc, delayMs }: Extract<LastingFault, { kind: 'slow-rpc' }>, fake: TestNode['fake']): void {
  fake.setFailpoint(rpc, `delay(${String(delayMs)})`);
}

/** Returns the annotations of the pod that a permanent fault touches. */
export function lastingAnnotations(fault: LastingFault | undefined, podName: string): Record<string, string> {
  if (fault?.kind !== 'hanging-pod' || fault.podName !== podName) return {};
  return { [`fail.rxlet.dev/${fault.rpc}`]: 'hang' };
}

/** Returns a pod with the annotations of a permanent fault. */
export function withLastingFault(pod: Pod, fault: LastingFault | undefined): Pod {
  const annotations = lastingAnnotations(fault, pod.metadata?.name ?? '');
  if (Object.keys(annotations).length === 0) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...annotations } } };
}

/** Creates the module in which a step hangs for the touched pod. */
export function lastingFaultModule(fault: LastingFault | undefined): AgentModule {
  return {
    name: 'lasting-fault',
    setup: () => ({
      contributions: [
        contribute(podSteps, {
          name: 'lasting-fault',
          prepare: (pod, signal) =>
            fault?.kind === 'hanging-step' && pod.metadata?.name === fault.podName
              ? new Promise<void>((_, reject) => onAbort(signal, reject))
              : undefined,
        }),
      ],
    }),
  };
}

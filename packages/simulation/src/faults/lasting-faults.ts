import type { Choices } from '../workload/choices.ts';
import type { Workload } from '../workload/workloads.ts';

/** A permanent partial fault. */
export type LastingFault =
  /** Calls of an RPC for one pod never return. */
  | { readonly kind: 'hanging-pod'; readonly podName: string; readonly rpc: string }
  /** A preparation step, such as a volume plugin, never ends for one pod. */
  | { readonly kind: 'hanging-step'; readonly podName: string }
  /** Unmounts of one pod fail. */
  | { readonly kind: 'stuck-mounts'; readonly podName: string }
  /** The runtime never delivers an event. */
  | { readonly kind: 'no-events' }
  /** An RPC that only reads is slow. */
  | {
      readonly kind: 'slow-rpc';
      readonly rpc: 'listContainers' | 'containerStatus' | 'podSandboxStatus';
      readonly delayMs: number;
    }
  /** The API server is unreachable: static pods must converge. */
  | { readonly kind: 'unreachable-api' }
  /** The agent's event sink and status sinks get no answer for events. */
  | { readonly kind: 'hanging-events' };

/** Chooses a permanent fault. */
export function chooseLastingFault(choose: Choices, workload: Workload, podNames: readonly string[]): LastingFault {
  const podName = choose.pick(podNames);
  const local: LastingFault[] = [
    {
      kind: 'hanging-pod',
      podName,
      rpc: choose.pick([
        'RunPodSandbox',
        'CreateContainer',
        'StartContainer',
        'StopContainer',
        'StopPodSandbox',
        'RemoveContainer',
      ]),
    },
    { kind: 'hanging-step', podName },
    { kind: 'stuck-mounts', podName },
    { kind: 'no-events' },
    {
      kind: 'slow-rpc',
      rpc: choose.pick(['listContainers', 'containerStatus', 'podSandboxStatus']),
      delayMs: choose.pick([200, 1_500]),
    },
  ];
  return choose.pick(
    workload !== 'standard' ? [...local, { kind: 'unreachable-api' }, { kind: 'hanging-events' }] : local,
  );
}

/** Returns the name of the pod that a permanent fault touches. */
export function touchedPod(fault: LastingFault | undefined): string | undefined {
  return fault !== undefined && 'podName' in fault ? fault.podName : undefined;
}

/** Describes a permanent fault in a line. */
export function describeLastingFault({ kind, ...fields }: LastingFault): string {
  return [kind, ...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`)].join(' ');
}

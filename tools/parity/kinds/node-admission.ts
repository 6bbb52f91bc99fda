import { type AdmissionRejection, otherPods } from '@rxlet/agent-api';
import { errorMessage, noopLogger } from '@rxlet/component-base';
import { noopEventRecorder } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Node, Pod } from '@rxlet/kube-api';
import { createNodeAdmission, createSysctlAllowlist, type SysctlAllowlist } from '@rxlet/node-admission';
import type { Answer } from '../vector-kind.ts';

interface NodeAdmissionVector {
  readonly input: {
    readonly node: Node;
    /** The node as it is when read anew; absent: the same. */
    readonly freshNode?: Node;
    readonly nodeError?: string;
    readonly pods: readonly Pod[];
    readonly pod: Pod;
    readonly kernelVersion?: string;
    readonly allowedUnsafeSysctls?: readonly string[];
    readonly pluginResourceError?: string;
    /** Names of pods that cannot be killed. */
    readonly killFails?: readonly string[];
  };
  readonly want:
    | { readonly error: string }
    | ({ readonly admitted: boolean; readonly preempted?: readonly string[] } & Partial<AdmissionRejection>);
}

/** Returns the decision on a pod, and the pods that were killed for it. */
export async function run({ input, want }: NodeAdmissionVector): Promise<Answer> {
  let sysctls: SysctlAllowlist;
  try {
    const { allowedUnsafeSysctls, kernelVersion = '6.1.0' } = input;
    sysctls = createSysctlAllowlist({ kernelVersion, allowedUnsafeSysctls });
  } catch (error) {
    return { got: { error: errorMessage(error) }, want };
  }
  const rejection = sysctls.reject(input.pod);
  return { got: rejection === undefined ? await decide(input) : { admitted: false, ...rejection }, want };
}

async function decide(input: NodeAdmissionVector['input']): Promise<NodeAdmissionVector['want']> {
  const { node, freshNode = node, nodeError, pods, pod, pluginResourceError, killFails = [] } = input;
  const preempted: string[] = [];
  const handler = createNodeAdmission({
    clock: createVirtualClock(),
    events: noopEventRecorder,
    logger: noopLogger,
    metrics: noopMetrics,
    node: {
      cached() {
        if (nodeError !== undefined) throw new Error(nodeError);
        return node;
      },
      read: () => Promise.resolve(freshNode),
    },
    killPod({ metadata }) {
      const name = metadata?.name ?? '';
      preempted.push(name);
      return killFails.includes(name) ? Promise.reject(new Error('not killed')) : Promise.resolve();
    },
    updatePluginResources(_pod, current) {
      if (pluginResourceError !== undefined) throw new Error(pluginResourceError);
      return current;
    },
  });
  const { signal } = new AbortController();
  const decision = await handler.admit(pod, otherPods(pods), signal);
  if (decision === undefined) return { admitted: true };
  if (!('prepare' in decision)) return { admitted: false, ...decision };
  await decision.prepare(signal);
  return { admitted: true, preempted };
}

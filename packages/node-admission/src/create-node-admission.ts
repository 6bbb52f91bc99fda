import type { AdmissionDecision, AdmissionHandler, OtherPods } from '@rxlet/agent-api';
import type { NodeObject } from '@rxlet/agent-api/node';
import { errorMessage } from '@rxlet/component-base';
import type { Node, Pod } from '@rxlet/kube-api';
import { isCriticalPod } from '@rxlet/pod-model';
import { type AdmissionFailure, type InsufficientResource, toRejection } from './admission-failure.ts';
import { generalFailures, nodeAffinityFailure } from './predicates/general-predicates.ts';
import { unsupportedByNode, withAgentOs } from './predicates/node-support.ts';
import { chooseVictims, PreemptionError } from './preemption/choose-victims.ts';
import { createPreemption, type PreemptionPorts, preemptionTimeoutMs } from './preemption/preempt.ts';

/** Ports of {@link createNodeAdmission}. */
export interface NodeAdmissionPorts extends PreemptionPorts {
  readonly node: NodeObject;
  /**
   * Returns the node with the resources that plugins hold for the pod. A throw rejects the pod. Default: the node as it is.
   */
  readonly updatePluginResources?: (pod: Pod, node: Node) => Node;
}

/**
 * Creates the handler that admits pods which fit the node (kubelet: predicateAdmitHandler). A critical pod that lacks nothing but resources is admitted once
 * others have been killed for it.
 */
export function createNodeAdmission(ports: NodeAdmissionPorts): AdmissionHandler {
  const { node: nodes, updatePluginResources = (_pod, node) => node } = ports;
  const preemption = createPreemption(ports);

  const decide = (pod: Pod, others: OtherPods, [first, ...more]: readonly AdmissionFailure[]): AdmissionDecision => {
    if (first === undefined) return undefined;
    if (!isCriticalPod(pod)) return toRejection(first);
    const failures = [first, ...more];
    const unresolvable = failures.find(({ kind }) => kind !== 'insufficient-resource');
    if (unresolvable !== undefined) return toRejection(unresolvable);
    const insufficient = failures.filter((failure) => failure.kind === 'insufficient-resource');
    try {
      const victims = chooseVictims(pod, others.list(), insufficient.map(toNeed));
      return {
        timeoutMs: preemptionTimeoutMs(victims),
        prepare: (signal) => preemption.kill(victims, insufficient[0]!.resource, signal),
      };
    } catch (error) {
      if (!(error instanceof PreemptionError)) throw error;
      const cause = `preemption: error finding a set of pods to preempt: ${error.message}`;
      return unexpected(`Unexpected error while attempting to recover from admission failure: ${cause}`);
    }
  };

  /** Judges by a Node object that is read anew: its labels may have changed. */
  const recheck = async (pod: Pod, others: OtherPods, signal: AbortSignal): Promise<AdmissionDecision> => {
    let node: Node;
    try {
      node = withAgentOs(await nodes.read(signal));
    } catch {
      return NO_NODE;
    }
    return decide(pod, others, generalFailures(pod, node, others));
  };

  return {
    name: 'node-admission',
    admit(pod, others, signal) {
      let node: Node;
      try {
        node = nodes.cached();
      } catch {
        return NO_NODE;
      }
      const unsupported = unsupportedByNode(pod, node);
      if (unsupported !== undefined) return unsupported;
      node = withAgentOs(node);
      try {
        node = updatePluginResources(pod, node);
      } catch (error) {
        return unexpected(`Update plugin resources failed due to ${errorMessage(error)}, which is unexpected.`);
      }
      const failures = generalFailures(pod, node, others);
      const isAffinityAlone = failures.length === 1 && failures[0] === nodeAffinityFailure;
      return isAffinityAlone ? recheck(pod, others, signal) : decide(pod, others, failures);
    },
  };
}

const NO_NODE = { reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' };

function unexpected(message: string): AdmissionDecision {
  return { reason: 'UnexpectedAdmissionError', message };
}

function toNeed({ resource, requested, used, capacity }: InsufficientResource) {
  return { resource, amount: requested - (capacity - used) };
}

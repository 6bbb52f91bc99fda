import type { NodeConditionState } from '@rxlet/agent-api/node';
import type { Node } from '@rxlet/kube-api';

/** Inputs of {@link readyCondition}. */
export interface Readiness {
  /** Reasons why the node is not ready. */
  readonly notReady: readonly string[];
  /** Requirements that are not met, although the node may be ready. */
  readonly warnings: readonly string[];
  readonly localStorageIsolation: boolean;
}

/** Returns the condition `Ready`. A node without one of the basic resources is not ready. */
export function readyCondition(node: Node, readiness: Readiness): NodeConditionState {
  const { warnings, localStorageIsolation } = readiness;
  const required = ['cpu', 'memory', 'pods', ...(localStorageIsolation ? ['ephemeral-storage'] : [])];
  const missing = required.filter((name) => node.status?.capacity?.[name] === undefined);
  const problems = new Set([
    ...readiness.notReady,
    ...(missing.length === 0 ? [] : [`missing node capacity for resources: ${missing.join(', ')}`]),
  ]);
  const warning = warnings.length === 0 ? '' : `. WARNING: ${aggregate(warnings)}`;
  if (problems.size === 0) {
    const message = `kubelet is posting ready status${warning}`;
    return { type: 'Ready', status: 'True', reason: 'KubeletReady', message };
  }
  const message = `${aggregate([...problems])}${warning}`;
  return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
}

/** Joins messages as Kubernetes joins errors. */
function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
}

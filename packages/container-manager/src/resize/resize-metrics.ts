import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod, Quantity, ResourceRequirements } from '@rxlet/kube-api';
import { compareQuantities, isZeroQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import { desiredResources } from '@rxlet/pod-model/resize';
import type { InfeasibleResize } from './resize-fit.ts';

/** Cause of another decision on deferred resizes. */
export type RetryTrigger = 'pods_added' | 'pod_updated' | 'pod_terminated' | 'pods_removed' | 'periodic_retry';

/** Metrics of resizes, with the kubelet's names. */
export interface ResizeMetrics {
  /** Counts the differences between two desired versions of a pod, each resource of each container. */
  requested(before: Pod, after: Pod): void;
  /** Counts a resize that can never be put into effect. */
  infeasible(detail: InfeasibleResize['detail']): void;
  /** Counts a resize that was accepted after it had been deferred. */
  acceptedDeferred(trigger: RetryTrigger): void;
}

/** Registers the metrics. `pods` returns the pods with their statuses, for the conditions of resizes. */
export function createResizeMetrics(metrics: Metrics, pods: () => readonly Pod[]): ResizeMetrics {
  const requests = metrics.counter({
    name: 'kubelet_container_requested_resizes_total',
    help: "[ALPHA] Number of requested resizes, counted at the container level. Different resources on the same container are counted separately. The 'requirement' label refers to 'memory' or 'limits'; the 'operation' label can be one of 'add', 'remove', 'increase' or 'decrease'.",
    labelNames: ['resource', 'requirement', 'operation'],
  });
  const infeasible = metrics.counter({
    name: 'kubelet_pod_infeasible_resizes_total',
    help: '[ALPHA] Number of infeasible resizes for pods.',
    labelNames: ['reason_detail'],
  });
  const acceptedDeferred = metrics.counter({
    name: 'kubelet_pod_deferred_accepted_resizes_total',
    help: '[ALPHA] Cumulative number of resizes that were accepted after being deferred.',
    labelNames: ['retry_trigger'],
  });
  metrics.gauge({
    name: 'kubelet_pod_in_progress_resizes',
    help: '[ALPHA] Number of in-progress resizes for pods.',
    read: () => conditionReasons(pods(), 'PodResizeInProgress').length,
  });
  metrics.gauge({
    name: 'kubelet_pod_pending_resizes',
    help: '[ALPHA] Number of pending resizes for pods.',
    labelNames: ['reason'],
    async collect() {
      const reasons = conditionReasons(pods(), 'PodResizePending');
      return [...new Set(reasons)].map((reason) => ({
        value: reasons.filter((other) => other === reason).length,
        labels: { reason },
      }));
    },
  });
  return {
    infeasible: (detail) => infeasible.inc({ reason_detail: detail }),
    acceptedDeferred: (trigger) => acceptedDeferred.inc({ retry_trigger: trigger }),
    requested(before, after) {
      const previous = desiredResources(before).containers;
      for (const [name, resources] of desiredResources(after).containers) {
        for (const labels of resizesOf(previous.get(name) ?? {}, resources)) requests.inc(labels);
      }
    },
  };
}

/** Returns the reasons of all conditions of a type, in lower case. */
function conditionReasons(pods: readonly Pod[], type: string): readonly string[] {
  return pods.flatMap(({ status }) =>
    (status?.conditions ?? [])
      .filter((condition) => condition.type === type)
      .map(({ reason = '' }) => reason.toLowerCase()),
  );
}

function resizesOf(before: ResourceRequirements, after: ResourceRequirements): readonly Record<string, string>[] {
  return ['memory', 'cpu'].flatMap((resource) =>
    (['requests', 'limits'] as const).flatMap((requirement) => {
      const operation = operationOf(before[requirement]?.[resource], after[requirement]?.[resource]);
      return operation === undefined ? [] : [{ resource, requirement, operation }];
    }),
  );
}

/** Returns the change of an amount; `undefined` without one. */
function operationOf(before: Quantity = '0', after: Quantity = '0'): string | undefined {
  const [from, to] = [parseQuantity(before), parseQuantity(after)];
  const difference = compareQuantities(to, from);
  if (difference === 0) return undefined;
  if (isZeroQuantity(to)) return 'remove';
  if (isZeroQuantity(from)) return 'add';
  return difference < 0 ? 'decrease' : 'increase';
}

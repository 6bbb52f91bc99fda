import { toRfc3339 } from '@rxlet/component-base';
import { BURST, BURST_PAUSE_MS, type Controller, createPods, deletePods, writeStatus } from './controller.ts';
import { expendableFirst, isActive, readySinceMs } from './pod-facts.ts';
import { type Job, type WorkloadCondition, workloadTypes } from './workloads.ts';

/** Runs the pods of Jobs until as many as wanted have succeeded, or too many have failed. */
export const jobController: Controller = {
  type: workloadTypes.jobs,
  reconcile(object, ports) {
    const { metadata, spec, status = {} } = object as unknown as Job;
    if (metadata.deletionTimestamp !== undefined || isFinished(status.conditions)) return undefined;
    const pods = ports.podsOf(metadata.uid);
    const active = pods.filter(isActive);
    const succeeded = pods.filter(({ status: of }) => of?.phase === 'Succeeded').length;
    const failed = pods.filter(({ status: of }) => of?.phase === 'Failed').length;
    const now = toRfc3339(ports.clock.now());
    const finish = (type: string, reason?: string, message?: string): WorkloadCondition => ({
      type,
      status: 'True',
      ...(reason !== undefined && { reason, message }),
      lastTransitionTime: now,
    });
    const wanted = spec.completions ?? 1;
    const isComplete = succeeded >= wanted;
    const hasFailed = failed > (spec.backoffLimit ?? 6);
    const conditions = isComplete
      ? [finish('Complete', 'CompletionsReached', 'Reached expected number of succeeded pods')]
      : hasFailed
        ? [finish('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')]
        : [];
    const isSuspended = spec.suspend === true;
    const target = isComplete || hasFailed || isSuspended ? 0 : Math.min(spec.parallelism ?? 1, wanted - succeeded);
    const missing = target - active.length;
    const labels = {
      'batch.kubernetes.io/job-name': metadata.name,
      'job-name': metadata.name,
      'batch.kubernetes.io/controller-uid': metadata.uid,
    };
    const { metadata: templateMetadata, spec: podSpec } = spec.template;
    const template = {
      metadata: { ...templateMetadata, labels: { ...templateMetadata?.labels, ...labels } },
      spec: podSpec,
    };
    if (missing > 0) createPods(ports, object, template, missing);
    else if (missing < 0) deletePods(ports, expendableFirst(active).slice(0, -missing));
    const running = Math.max(target, 0);
    const ready = active.filter((pod) => readySinceMs(pod) !== undefined).length;
    writeStatus(ports, workloadTypes.jobs, ports.store.get(workloadTypes.jobs, metadata) ?? object, {
      startTime: status.startTime ?? now,
      ...(isComplete && { completionTime: now }),
      ...(running > 0 && { active: running, ready }),
      ...(succeeded > 0 && { succeeded }),
      ...(failed > 0 && { failed }),
      ...(conditions.length > 0 && { conditions }),
    });
    return Math.abs(missing) > BURST ? BURST_PAUSE_MS : undefined;
  },
};

function isFinished(conditions: readonly WorkloadCondition[] = []): boolean {
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

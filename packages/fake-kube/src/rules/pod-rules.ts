import { toRfc3339 } from '@rxlet/component-base';
import type { Binding, Container, Mutable, Pod, PodSpec, PodStatus, Toleration } from '@rxlet/kube-api';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { isMirrorPod, podQosClass } from '@rxlet/pod-model';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { ApiError, conflict, invalid } from '../api-error.ts';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { ObjectRules } from './rule-context.ts';

/** Pods: defaults, a pending status, and a spec of which little may change. */
export const podRules: ObjectRules = {
  create(object) {
    const given = object as unknown as Pod;
    if (!Array.isArray(given.spec?.containers) || given.spec.containers.length === 0) {
      const cause = { reason: 'FieldValueRequired', field: 'spec.containers', message: 'Required value' };
      throw invalid(podType, object.metadata.name, cause);
    }
    const pod = defaultPod(given);
    const spec = withAdmittedFields(pod.spec!, isMirrorPod(given));
    return {
      ...object,
      spec,
      status: { phase: 'Pending', qosClass: podQosClass({ ...pod, spec }) },
    };
  },
  update(next, previous, subresource) {
    const [spec, before] = [next.spec as PodSpec, previous.spec as PodSpec];
    switch (subresource) {
      case 'status':
        return { ...next, spec: before };
      case 'ephemeralcontainers':
        return { ...next, spec: withEphemeralContainers(next, before) };
      case 'resize':
        return { ...next, spec: withResources(before, spec) };
      default: {
        const pod = defaultPod(next as unknown as Pod);
        checkSpecChange(next.metadata.name, pod.spec!, before);
        return { ...next, spec: pod.spec };
      }
    }
  },
};

const podType: Pick<ResourceType, 'group' | 'plural' | 'kind' | 'version' | 'isNamespaced'> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};

/** Returns a pod that is bound to a node. @throws ApiError when it already is */
export function boundPod(pod: StoredObject, binding: Binding, nowMs: number): StoredObject {
  const spec = pod.spec as PodSpec;
  const { name } = pod.metadata;
  const target = binding.target?.name ?? '';
  if (target === '') throw new ApiError('BadRequest', 'target.name: Required value');
  if (spec.nodeName) throw conflict(podType, name, `pod ${name} is already assigned to node "${spec.nodeName}"`);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(podType, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const status = pod.status as PodStatus;
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: toRfc3339(nowMs) };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...binding.metadata?.annotations } },
    spec: { ...spec, nodeName: target },
    status: { ...status, conditions: [...others, scheduled] },
  };
}

const NODE_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Returns the spec with the fields that admission sets on every cluster. */
function withAdmittedFields(spec: PodSpec, isMirror: boolean): PodSpec {
  const tolerations = spec.tolerations ?? [];
  const tolerates = (key: string): boolean =>
    tolerations.some((each) => (each.key === key || !each.key) && (!each.effect || each.effect === 'NoExecute'));
  const missing = NODE_TAINTS.filter((key) => !tolerates(key)).map((key): Toleration => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  const serviceAccountName = spec.serviceAccountName || spec.serviceAccount || 'default';
  return {
    ...spec,
    ...(!isMirror && { serviceAccountName, serviceAccount: serviceAccountName }),
    priority: spec.priority ?? 0,
    preemptionPolicy: spec.preemptionPolicy ?? 'PreemptLowerPriority',
    tolerations: [...tolerations, ...missing],
  };
}

/** Returns the spec with the resources that a resize asks for, and nothing else of it. */
function withResources(before: PodSpec, wanted: PodSpec): PodSpec {
  const resized = (containers: readonly Container[] | undefined, from: readonly Container[] | undefined) =>
    containers?.map((container) => {
      const other = from?.find(({ name }) => name === container.name);
      if (other === undefined) return container;
      const { resources: _, ...rest } = container;
      const { resources, resizePolicy } = other;
      return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) };
    });
  return {
    ...before,
    containers: resized(before.containers, wanted.containers)!,
    ...(before.initContainers && { initContainers: resized(before.initContainers, wanted.initContainers)! }),
    ...(wanted.resources && { resources: wanted.resources }),
  };
}

/** Returns the spec with further ephemeral containers. Those of before stay as they are. */
function withEphemeralContainers(next: StoredObject, before: PodSpec): PodSpec {
  const pod = next as unknown as Pod;
  const { name } = next.metadata;
  const forbid = (field: string, message: string): ApiError =>
    invalid(podType, name, { reason: 'FieldValueForbidden', field, message: `Forbidden: ${message}` });
  if (isMirrorPod(pod)) throw forbid('', 'static pods do not support ephemeral containers');
  const { ephemeralContainers = [] } = defaultPod(pod).spec!;
  for (const one of before.ephemeralContainers ?? []) {
    const same = ephemeralContainers.find((other) => other.name === one.name);
    if (same !== undefined && sameValue(same, one)) continue;
    const change = same === undefined ? 'removed' : 'changed';
    throw forbid('spec.ephemeralContainers', `existing ephemeral containers "${one.name}" may not be ${change}`);
  }
  return { ...before, ephemeralContainers };
}

function checkSpecChange(name: string, next: PodSpec, before: PodSpec): void {
  const isAddedOnly = (before.tolerations ?? []).every((each) =>
    (next.tolerations ?? []).some((other) =>
      sameValue({ ...each, tolerationSeconds: 0 }, { ...other, tolerationSeconds: 0 }),
    ),
  );
  if (isAddedOnly && sameValue(fixedPart(next), fixedPart(before))) return;
  throw invalid(podType, name, {
    reason: 'FieldValueForbidden',
    field: 'spec',
    message:
      'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
  });
}

/** Returns the spec without the fields that may change. */
function fixedPart(spec: PodSpec): unknown {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...fixed } = spec as Mutable<PodSpec>;
  const withoutImage = (containers: readonly Container[] | undefined): unknown =>
    containers?.map(({ image: ____, ...container }) => container);
  return {
    ...fixed,
    containers: withoutImage(fixed.containers),
    initContainers: withoutImage(fixed.initContainers),
  };
}

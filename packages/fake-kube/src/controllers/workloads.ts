import type { LabelSelector, ObjectMeta, PodTemplateSpec } from '@rxlet/kube-api';
import type { ValueTable } from '@rxlet/kube-api/tables';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';

/** Deployment (apps/v1), as far as the controllers read it. */
export interface Deployment extends Workload {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly paused?: boolean;
    readonly progressDeadlineSeconds?: number;
  };
  readonly status?: {
    readonly conditions?: readonly WorkloadCondition[];
    readonly [field: string]: unknown;
  };
}

/** Bounds of a rolling update: numbers, or shares such as `25%`. */
export interface RollingUpdate {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

/** ReplicaSet (apps/v1), as far as the controllers read it. */
export interface ReplicaSet extends Workload {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly minReadySeconds?: number;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly observedGeneration?: number;
  };
}

/** DaemonSet (apps/v1), as far as the controllers read it. */
export interface DaemonSet extends Workload {
  readonly spec: {
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate };
  };
  readonly status?: unknown;
}

/** Job (batch/v1), as far as the controllers read it. */
export interface Job extends Workload {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly backoffLimit?: number;
    readonly suspend?: boolean;
    readonly selector?: LabelSelector;
    readonly template: PodTemplateSpec;
  };
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

/** Condition of a workload. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

interface Workload extends Pick<StoredObject, 'apiVersion' | 'kind'> {
  readonly metadata: StoredObject['metadata'] & ObjectMeta;
}

/** The template of pods, of which strategic merge patches merge lists and whose fields are checked. */
const TEMPLATE: Readonly<Record<string, ValueTable>> = {
  template: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodTemplateSpec' },
};

const ofPods = { isNamespaced: true, categories: ['all'], hasGeneration: true, specParts: TEMPLATE } as const;

/** Types of {@link workloadTypes}. */
export type WorkloadTypes = Readonly<
  Record<'deployments' | 'replicaSets' | 'daemonSets' | 'jobs' | 'endpointSlices', ResourceType>
>;

/** Resources of the workload controllers. */
export const workloadTypes: WorkloadTypes = {
  deployments: {
    ...ofPods,
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    subresources: ['status', 'scale'],
  },
  replicaSets: {
    ...ofPods,
    group: 'apps',
    version: 'v1',
    plural: 'replicasets',
    kind: 'ReplicaSet',
    shortNames: ['rs'],
    subresources: ['status', 'scale'],
  },
  daemonSets: {
    ...ofPods,
    group: 'apps',
    version: 'v1',
    plural: 'daemonsets',
    kind: 'DaemonSet',
    shortNames: ['ds'],
    subresources: ['status'],
  },
  jobs: { ...ofPods, group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', subresources: ['status'] },
  endpointSlices: {
    group: 'discovery.k8s.io',
    version: 'v1',
    plural: 'endpointslices',
    kind: 'EndpointSlice',
    isNamespaced: true,
  },
};

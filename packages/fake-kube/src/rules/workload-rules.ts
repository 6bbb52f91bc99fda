import { invalid } from '../api-error.ts';
import { workloadTypes } from '../controllers/workloads.ts';
import type { ResourceType } from '../resource-type.ts';
import type { Versionless } from '../store/object-store.ts';
import type { ObjectRules } from './rule-context.ts';

type Spec = Readonly<Record<string, unknown>>;

/** Workloads with a selector that matches their template. */
export const workloadRules: ObjectRules = { create: (object) => checked(object, workloadTypes.daemonSets) };

/** Deployments, with the defaults of Kubernetes. */
export const deploymentRules: ObjectRules = {
  create: (object) =>
    withDefaults(checked(object, workloadTypes.deployments), {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    }),
};

/** ReplicaSets. */
export const replicaSetRules: ObjectRules = {
  create: (object) => withDefaults(checked(object, workloadTypes.replicaSets), { replicas: 1 }),
};

/** Jobs, which select their pods by their UID. */
export const jobRules: ObjectRules = {
  create(object) {
    const matchLabels = { 'batch.kubernetes.io/controller-uid': object.metadata.uid };
    return withDefaults(object, { parallelism: 1, completions: 1, backoffLimit: 6, selector: { matchLabels } });
  },
};

function withDefaults(object: Versionless, defaults: Spec): Versionless {
  const given = Object.entries((object.spec ?? {}) as Spec).filter(([, value]) => !isEmpty(value));
  return { ...object, spec: { ...defaults, ...Object.fromEntries(given) } };
}

/** Typed clients send an empty object for a field without a value. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** @throws ApiError when the pods of the template would not belong to the workload */
function checked(object: Versionless, type: ResourceType): Versionless {
  const { selector, template } = (object.spec ?? {}) as {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
  const { name } = object.metadata;
  if (selector === undefined)
    throw invalid(type, name, { reason: 'FieldValueRequired', field: 'spec.selector', message: 'Required value' });
  const labels = template?.metadata?.labels ?? {};
  const isOwn = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  if (isOwn) return object;
  throw invalid(type, name, {
    reason: 'FieldValueInvalid',
    field: 'spec.template.metadata.labels',
    message: `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``,
  });
}

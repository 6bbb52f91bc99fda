import type { ObjectRules } from './rule-context.ts';

/** Namespaces are active from the start. */
export const namespaceRules: ObjectRules = {
  create: (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
    },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }),
};

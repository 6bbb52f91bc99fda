import type { Container, Pod } from '@rxlet/kube-api';
import type { PodRejection } from '../provider-pod.ts';

/** Fields of a pod that processes of the machine cannot honour. */
const POD_FIELDS = ['initContainers', 'hostAliases', 'dnsConfig'] as const;
const CONTAINER_FIELDS = ['envFrom', 'lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Returns why a pod cannot run as processes of the machine: it uses a field that they cannot honour, or has a container without a command. */
export function unsupportedPod({ spec }: Pod): PodRejection | undefined {
  const fields = [
    ...POD_FIELDS.filter((field) => isSet(spec?.[field])).map((field) => `spec.${field}`),
    // The API server adds the volume of the service account to every pod.
    ...(spec?.volumes ?? []).filter(({ name }) => !name.startsWith('kube-api-access-')).map(() => 'spec.volumes'),
    ...(spec?.containers ?? []).flatMap(unsupportedFields),
  ];
  if (fields.length === 0) return undefined;
  return { reason: 'UnsupportedPodFields', message: `processes cannot have ${[...new Set(fields)].join(', ')}` };
}

function unsupportedFields(container: Container): readonly string[] {
  const { command = [], env = [], securityContext = {}, name } = container;
  const path = `spec.containers{${name}}`;
  return [
    ...CONTAINER_FIELDS.filter((field) => isSet(container[field])).map((field) => `${path}.${field}`),
    ...(command.length === 0 ? [`the command of an image, as ${path} without one`] : []),
    ...(env.some(({ valueFrom }) => valueFrom !== undefined) ? [`${path}.env[*].valueFrom`] : []),
    ...Object.keys(securityContext).map((field) => `${path}.securityContext.${field}`),
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

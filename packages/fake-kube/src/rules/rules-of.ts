import { workloadTypes } from '../controllers/workloads.ts';
import { qualifiedName, type ResourceType } from '../resource-type.ts';
import { certificateRequestRules } from './certificate-request-rules.ts';
import { namespaceRules } from './namespace-rules.ts';
import { podRules } from './pod-rules.ts';
import type { ObjectRules } from './rule-context.ts';
import { deploymentRules, jobRules, replicaSetRules, workloadRules } from './workload-rules.ts';
import { secretRules } from './secret-rules.ts';

const RULES: ReadonlyMap<string, ObjectRules> = new Map([
  ['pods', podRules],
  ['namespaces', namespaceRules],
  ['secrets', secretRules],
  ['certificatesigningrequests.certificates.k8s.io', certificateRequestRules],
]);

/** Rules of the server's own workloads. A resource of such a name that a user of the server brings along has none. */
const WORKLOAD_RULES: ReadonlyMap<ResourceType, ObjectRules> = new Map<ResourceType, ObjectRules>([
  [workloadTypes.deployments, deploymentRules],
  [workloadTypes.replicaSets, replicaSetRules],
  [workloadTypes.daemonSets, workloadRules],
  [workloadTypes.jobs, jobRules],
]);

/** Returns the rules of a resource; none for most. */
export function rulesOf(type: ResourceType): ObjectRules {
  return RULES.get(qualifiedName(type)) ?? WORKLOAD_RULES.get(type) ?? {};
}

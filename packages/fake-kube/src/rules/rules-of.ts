import { qualifiedName, type ResourceType } from '../resource-type.ts';
import { certificateRequestRules } from './certificate-request-rules.ts';
import { namespaceRules } from './namespace-rules.ts';
import { podRules } from './pod-rules.ts';
import type { ObjectRules } from './rule-context.ts';
import { secretRules } from './secret-rules.ts';

const RULES: ReadonlyMap<string, ObjectRules> = new Map([
  ['pods', podRules],
  ['namespaces', namespaceRules],
  ['secrets', secretRules],
  ['certificatesigningrequests.certificates.k8s.io', certificateRequestRules],
]);

/** Returns the rules of a resource; none for most. */
export function rulesOf(type: ResourceType): ObjectRules {
  return RULES.get(qualifiedName(type)) ?? {};
}

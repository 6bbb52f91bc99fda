import type { ResourceRequirements } from '@rxlet/kube-api';
import { isZeroQuantity, parseQuantity } from '@rxlet/pod-model/quantity';
import { type ResizableResource, resizableResources } from '../compute/container-resize.ts';

type ResourceList = NonNullable<ResourceRequirements['limits']>;

/** Returns the resources that apply to a container. Pod-level limits apply where it sets none (KEP-2837). */
export function effectiveResources(
  own: ResourceRequirements = {},
  ofPod: ResourceRequirements | undefined,
): ResourceRequirements {
  const inherited = resizableResources.flatMap((resource) => {
    const limit = ofPod?.limits?.[resource];
    return limit === undefined || isSet(own.limits?.[resource]) ? [] : [[resource, limit] as const];
  });
  return resourcesOf({ ...own.limits, ...Object.fromEntries(inherited) }, own.requests ?? {});
}

/** Returns `base` with one resource of `desired`. Resources that cannot be resized always come from `desired`. */
export function withResource(
  base: ResourceRequirements,
  desired: ResourceRequirements,
  changed: ResizableResource,
): ResourceRequirements {
  const mixed = (before: ResourceList = {}, desiredList: ResourceList = {}): ResourceList => {
    const result: Record<string, string | number> = { ...desiredList };
    for (const resource of resizableResources) {
      if (resource === changed) continue;
      const kept = before[resource];
      if (kept === undefined) delete result[resource];
      else result[resource] = kept;
    }
    return result;
  };
  return resourcesOf(mixed(base.limits, desired.limits), mixed(base.requests, desired.requests));
}

function resourcesOf(limits: ResourceList, requests: ResourceList): ResourceRequirements {
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

function isSet(quantity: string | number | undefined): boolean {
  return quantity !== undefined && !isZeroQuantity(parseQuantity(quantity));
}

import type { KubeObject } from '@rxlet/kube-api/client';
import type { KubeResource } from '@rxlet/kube-api/resources';
import { resources } from '@rxlet/kube-api/resources';

/** Selection of objects that a watch copies. */
export interface CopySelector {
  /** Plural name of the resource. */
  readonly plural: string;
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Last known objects of a watch. */
export interface KeptCopy extends CopySelector {
  readonly objects: readonly KubeObject[];
}

/**
 * Resources whose objects are kept. Pods are `provisional`: they may have been deleted meanwhile, so their list is not complete before the API server has sent it.
 * The last known objects of the others serve as if they were current.
 */
const KEPT: ReadonlyMap<KubeResource<unknown>, 'provisional' | 'complete'> = new Map<
  KubeResource<unknown>,
  'provisional' | 'complete'
>([
  [resources.pods, 'provisional'],
  [resources.nodes, 'complete'],
  [resources.services, 'complete'],
  [resources.runtimeClasses, 'complete'],
  [resources.configMaps, 'complete'],
  [resources.secrets, 'complete'],
]);

/** Returns how the last known objects of a resource serve; `undefined` when they are not kept. */
export function keptAs(resource: KubeResource<unknown>): 'provisional' | 'complete' | undefined {
  return KEPT.get(resource);
}

/** Returns the key of a selection. */
export function copyKey({ plural, namespace = '', fieldSelector = '' }: CopySelector): string {
  return [plural, namespace, fieldSelector].join('|');
}

/** Returns the name that a selection is for; `undefined` when it is for any. */
export function selectedName({ fieldSelector }: CopySelector): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(fieldSelector ?? '')?.[1];
}

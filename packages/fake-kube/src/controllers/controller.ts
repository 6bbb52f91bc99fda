import type { Clock, Random } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { StoredObject } from '../api-object.ts';
import type { ObjectService } from '../objects/object-service.ts';
import type { ResourceType } from '../resource-type.ts';
import type { RuleContext } from '../rules/rule-context.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** The world of a controller. */
export interface ControllerPorts {
  readonly store: ObjectStore;
  readonly service: ObjectService;
  readonly clock: Clock;
  readonly random: Random;
  readonly context: RuleContext;
  readonly types: { readonly pods: ResourceType; readonly nodes: ResourceType; readonly services: ResourceType };
  /** Returns the objects of a resource that an object controls. */
  ownedBy(type: ResourceType, uid: string): readonly StoredObject[];
  /** Returns the pods that an object controls. */
  podsOf(uid: string): readonly Pod[];
}

/** Brings the world closer to an object of one resource. */
export interface Controller {
  readonly type: ResourceType;
  /** @returns the time after which to look again, in milliseconds; `undefined`: at the next change */
  reconcile(object: StoredObject, ports: ControllerPorts): number | undefined;
}

/** Pods that are created or deleted in one go, so that a large set does not block the server. */
export const BURST = 500;

/** Pause before the rest of a burst. */
export const BURST_PAUSE_MS = 10;

/** Returns the reference by which an object controls another one. */
export function controllerReference(owner: Pick<StoredObject, 'apiVersion' | 'kind' | 'metadata'>): object {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** Writes the status of an object unless it is the same. */
export function writeStatus(
  { store }: ControllerPorts,
  type: ResourceType,
  object: StoredObject,
  status: object,
): void {
  if (JSON.stringify(object.status) === JSON.stringify(status)) return;
  store.write(type, { ...object, status });
}

/** Creates pods of a template. */
export function createPods(
  { service, types, context }: ControllerPorts,
  owner: StoredObject,
  { metadata, spec }: { readonly metadata?: object; readonly spec?: object },
  count: number,
): void {
  for (let made = 0; made < Math.min(count, BURST); made += 1) {
    const { name, namespace } = owner.metadata;
    const own = { generateName: `${name}-`, namespace, ownerReferences: [controllerReference(owner)] };
    service.create(types.pods, namespace, { metadata: { ...metadata, ...own } as never, spec }, context);
  }
}

/** Deletes pods with their grace period. */
export function deletePods({ service, types, context }: ControllerPorts, pods: readonly Pod[]): void {
  for (const { metadata } of pods.slice(0, BURST)) {
    service.delete(types.pods, { namespace: metadata?.namespace, name: metadata?.name ?? '' }, {}, context);
  }
}

import { type Clock, errorMessage, type Logger, type Random, type Timer } from '@rxlet/component-base';
import type { Pod, Service } from '@rxlet/kube-api';
import { keyOf, type StoredObject } from '../api-object.ts';
import type { ObjectService } from '../objects/object-service.ts';
import { qualifiedName, type ResourceType } from '../resource-type.ts';
import type { RuleContext } from '../rules/rule-context.ts';
import type { ObjectStore, StoreChange } from '../store/object-store.ts';
import type { Controller, ControllerPorts } from './controller.ts';
import { daemonSetController } from './daemon-set-controller.ts';
import { deploymentController } from './deployment-controller.ts';
import { endpointSliceController, selects } from './endpoint-slice-controller.ts';
import { createOwnerIndex } from './owner-index.ts';
import { jobController } from './job-controller.ts';
import { replicaSetController } from './replica-set-controller.ts';

/** Ports of {@link startControllers}. */
export interface StartControllersPorts {
  readonly store: ObjectStore;
  readonly service: ObjectService;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly context: RuleContext;
  readonly types: ControllerPorts['types'];
}

/** Shortest pause between two rounds: changes within it are handled together. */
const PERIOD_MS = 10;
/** Share of the time that rounds take at most. */
const MAX_LOAD = 0.5;

/**
 * Runs small controllers of Deployments, ReplicaSets, DaemonSets, Jobs and EndpointSlices, and removes what owners leave behind, until it is disposed of. They have the
 * rules that a demonstration needs, and are no replacement for those of Kubernetes.
 */
export function startControllers({ logger, ...given }: StartControllersPorts): Disposable {
  const { store, clock, types, service, context } = given;
  const index = createOwnerIndex();
  const ports: ControllerPorts = {
    ...given,
    ownedBy: (type, uid) => index.ownedBy(type, uid),
    podsOf: (uid) => index.ownedBy(types.pods, uid) as unknown as readonly Pod[],
  };
  const controllers: readonly Controller[] = [
    deploymentController,
    replicaSetController,
    daemonSetController,
    jobController,
    endpointSliceController(types.services),
  ];
  const dirty = new Map<Controller, Set<string>>(controllers.map((controller) => [controller, new Set()]));
  const delayed = new Map<string, Timer>();
  let round: Timer | undefined;
  let lastRoundMs = 0;

  const request = (): void => {
    const pauseMs = Math.max(PERIOD_MS, lastRoundMs * (1 / MAX_LOAD - 1));
    round ??= clock.setTimer(pauseMs, () => {
      round = undefined;
      const startMs = clock.monotonicNow();
      for (const [controller, keys] of dirty) {
        for (const key of [...keys]) {
          keys.delete(key);
          reconcile(controller, key);
        }
      }
      lastRoundMs = clock.monotonicNow() - startMs;
    });
  };
  const mark = (controller: Controller, key: string): void => {
    dirty.get(controller)!.add(key);
    request();
  };
  const reconcile = (controller: Controller, key: string): void => {
    const [name, namespace] = key.split('/').reverse() as [string, string | undefined];
    const object = store.get(controller.type, { name, namespace });
    if (object === undefined) return;
    try {
      const afterMs = controller.reconcile(object, ports);
      if (afterMs !== undefined) later(controller, key, afterMs);
    } catch (error) {
      logger.warn('a controller failed', { resource: qualifiedName(controller.type), key, error: errorMessage(error) });
      later(controller, key, 1000);
    }
  };
  const later = (controller: Controller, key: string, afterMs: number): void => {
    const id = `${controller.type.plural} ${key}`;
    delayed.get(id)?.[Symbol.dispose]();
    delayed.set(
      id,
      clock.setTimer(afterMs, () => {
        delayed.delete(id);
        mark(controller, key);
      }),
    );
  };

  /** Marks the controller of an object. */
  const markOwner = ({ metadata }: StoredObject): void => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const controller = owner && controllers.find(({ type }) => type.kind === owner.kind);
    if (controller !== undefined) mark(controller, keyOf({ namespace: metadata.namespace, name: owner!.name }));
  };
  const markServices = ({ metadata }: StoredObject): void => {
    const slices = controllers.at(-1)!;
    for (const object of store.list(types.services, metadata.namespace)) {
      const { selector } = (object as unknown as Service).spec ?? {};
      if (selector !== undefined && selects(selector, metadata.labels)) mark(slices, keyOf(object.metadata));
    }
  };
  const handle = ({ type, object, previous }: StoreChange): void => {
    index.changed(type, object, previous);
    const changed = (object ?? previous)!;
    const own = controllers.find((controller) => controller.type === type);
    if (own !== undefined) mark(own, keyOf(changed.metadata));
    markOwner(changed);
    if (type === types.pods) markServices(changed);
    if (type === types.nodes)
      for (const { metadata } of store.list(daemonSetController.type)) mark(daemonSetController, keyOf(metadata));
    if (type === types.nodes && object === undefined) removePodsOf(changed.metadata.name);
    if (object === undefined) index.dependentsOf(changed.metadata.uid).forEach(collect);
  };
  const removePodsOf = (nodeName: string): void => {
    for (const pod of store.list(types.pods)) {
      if ((pod as unknown as Pod).spec?.nodeName === nodeName)
        service.delete(types.pods, pod.metadata, { gracePeriodSeconds: 0 }, context);
    }
  };
  /** Removes an object whose last owner is gone. */
  const collect = ({ type, object }: { readonly type: ResourceType; readonly object: StoredObject }): void => {
    const current = store.get(type, object.metadata);
    if (current?.metadata.uid !== object.metadata.uid) return;
    const owners = current.metadata.ownerReferences ?? [];
    if (owners.some(({ uid }) => index.exists(uid))) return;
    service.delete(type, current.metadata, {}, context);
  };

  for (const { type, object } of store.all()) handle({ type, object, previous: undefined, revision: 0 });
  const subscription = store.changes$.subscribe({
    next: handle,
    error: (error: unknown) => logger.error('the controllers ended', { error: errorMessage(error) }),
  });
  return {
    [Symbol.dispose]() {
      subscription.unsubscribe();
      round?.[Symbol.dispose]();
      for (const timer of delayed.values()) timer[Symbol.dispose]();
    },
  };
}

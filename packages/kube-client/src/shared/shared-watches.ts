import type { KubeClient, KubeObject, ObjectWatch, WatchOptions } from '@rxlet/kube-api/client';
import type { Logger } from '@rxlet/component-base';
import { type KubeResource, resources } from '@rxlet/kube-api/resources';
import { type ObjectParts, createObjectParts, type SplitBy } from './object-parts.ts';

/** Ports of {@link createSharedWatches}. */
export interface SharedWatchesPorts {
  /** Client whose user may list and watch all objects of the shared resources. */
  readonly client: Pick<KubeClient, 'watch'>;
  readonly logger: Logger;
}

/** Watches of many nodes on few connections. Disposal ends them. */
export interface SharedWatches extends AsyncDisposable {
  /** Opens what looks like a watch of its own. {@link KubeClient.watch} of a node's client may be replaced by it. */
  watch<T extends KubeObject>(resource: KubeResource<T>, options?: WatchOptions): ObjectWatch<T>;
  /** Number of watches on the API server. */
  readonly openWatches: number;
}

/** Resources that are watched whole, and the field by which each node's watch selects its part. */
const SPLITS: readonly SplitBy[] = [
  { resource: resources.pods, field: 'spec.nodeName' },
  { resource: resources.nodes, field: 'metadata.name' },
  { resource: resources.configMaps, field: 'metadata.name' },
  { resource: resources.secrets, field: 'metadata.name' },
];

/**
 * Creates {@link SharedWatches} for the nodes of one process. One watch of all pods serves the pods of each node, one watch each of all Node objects, ConfigMaps and
 * Secrets serves those that name one of them, and equal watches are opened once.
 *
 * The copy of such a watch has all objects of the cluster, also those of other nodes.
 *
 * @example
 * ```ts
 * import { noopLogger, seededRandom } from '@rxlet/component-base';
 * import { createVirtualClock } from '@rxlet/component-base/testing';
 * import { admin, createFakeKube } from '@rxlet/fake-kube';
 * import { resources } from '@rxlet/kube-api/resources';
 * import { createKubeClient } from '@rxlet/kube-client';
 * import { createSharedWatches } from '@rxlet/kube-client/shared-watches';
 *
 * const ports = { clock: createVirtualClock(), random: seededRandom(1) };
 * await using kube = createFakeKube(ports);
 * const transport = { send: (request: object) => kube.handle({ ...request, user: admin } as never) };
 * const client = createKubeClient({ ...ports, transport }, { userAgent: 'example/v1' });
 * await using shared = createSharedWatches({ client, logger: noopLogger });
 * const podsOfNode = shared.watch(resources.pods, { fieldSelector: 'spec.nodeName=node1' });
 * podsOfNode.start();
 * ```
 */
export function createSharedWatches({ client, logger }: SharedWatchesPorts): SharedWatches {
  const parts = new Map<string, ObjectParts<KubeObject>>();

  const partsOf = (key: string, open: () => ObjectParts<KubeObject>): ObjectParts<KubeObject> => {
    const found = parts.get(key) ?? open();
    parts.set(key, found);
    return found;
  };

  return {
    watch<T extends KubeObject>(resource: KubeResource<T>, options: WatchOptions = {}): ObjectWatch<T> {
      const untyped = resource as unknown as KubeResource<KubeObject>;
      const name = `${resource.group}/${resource.plural}`;
      const split = SPLITS.find(
        (each) => each.resource.plural === resource.plural && each.resource.group === resource.group,
      );
      const value = split && selectedValue(split, options);
      const { isFirstListCurrent } = options;
      const part =
        split === undefined || value === undefined
          ? partsOf(`${name}?${selectorKey(options)}`, () =>
              createObjectParts({ watch: client.watch(untyped, options), logger }, () => ''),
            ).part('')
          : partsOf(name, () =>
              createObjectParts({ watch: client.watch(untyped, { isFirstListCurrent }), logger }, (object) =>
                partKey(split, object),
              ),
            ).part(options.namespace === undefined ? value : `${options.namespace}/${value}`);
      return part as unknown as ObjectWatch<T>;
    },
    get openWatches() {
      return parts.size;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(parts.values(), (each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Returns the value that a watch selects, if it selects by the field of the split alone. */
function selectedValue({ field, resource }: SplitBy, options: WatchOptions): string | undefined {
  const { fieldSelector = '', labelSelector, namespace } = options;
  const isWhole =
    resource.isNamespaced && field === 'metadata.name' ? namespace !== undefined : namespace === undefined;
  if (!isWhole || labelSelector !== undefined || !fieldSelector.startsWith(`${field}=`)) return undefined;
  const value = fieldSelector.slice(field.length + 1);
  return /[,=!\\]/.test(value) ? undefined : value;
}

function partKey({ field, resource }: SplitBy, object: KubeObject): string {
  if (field === 'spec.nodeName') return (object as { spec?: { nodeName?: string } }).spec?.nodeName ?? '';
  const { name = '', namespace = '' } = object.metadata ?? {};
  return resource.isNamespaced ? `${namespace}/${name}` : name;
}

function selectorKey({ namespace = '', fieldSelector = '', labelSelector = '' }: WatchOptions): string {
  return JSON.stringify([namespace, fieldSelector, labelSelector]);
}

import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import type { CSIDriver } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import type { CsiObjects } from '../csi-drivers.ts';

/** {@link CsiObjects} of an API server. CSIDriver objects are watched from the start on. */
export interface ClusterCsiObjects extends CsiObjects, AsyncDisposable {
  /** Returns a CSIDriver object that is known already. */
  find(driverName: string): CSIDriver | undefined;
  /** Emits after each change of a CSIDriver object. */
  readonly changes$: Observable<unknown>;
  start(): void;
}

/** Creates {@link ClusterCsiObjects}. */
export function createClusterCsiObjects(client: Pick<KubeClient, 'get' | 'watch'>): ClusterCsiObjects {
  const drivers = client.watch(resources.csiDrivers);
  return {
    driver: async (name, signal) =>
      drivers.isSynced ? drivers.find({ name }) : existing(client.get(resources.csiDrivers, { name }, { signal })),
    secret: (namespace, name, signal) => existing(client.get(resources.secrets, { namespace, name }, { signal })),
    attachment: (name, signal) => client.get(resources.volumeAttachments, { name }, { signal }),
    find: (name) => drivers.find({ name }),
    changes$: drivers.changes$,
    start: () => drivers.start(),
    [Symbol.asyncDispose]: () => drivers[Symbol.asyncDispose](),
  };
}

/** Resolves with `undefined` for an object that does not exist. */
async function existing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

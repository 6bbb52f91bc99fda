import type { CsiNode } from '../csi-drivers.ts';
import { errorMessage } from '@rxlet/component-base';
import type { CSIDriver } from '@rxlet/kube-api';
import type { CsiContext } from './csi-context.ts';

/** Finds drivers and their objects. */
export interface CsiLookup {
  /** Resolves with the object of a driver; `undefined` when there is none. */
  driverObject(name: string, signal: AbortSignal): Promise<CSIDriver | undefined>;
  /** Returns the node service of a driver. @throws Error that begins with the failure when the driver is not registered */
  nodeOf(driver: string, failure: string): CsiNode;
}

/** Creates a {@link CsiLookup}. */
export function createCsiLookup({ objects, drivers }: Pick<CsiContext, 'objects' | 'drivers'>): CsiLookup {
  return {
    driverObject: async (name, signal) =>
      objects === undefined ? drivers.configured(name) : objects.driver(name, signal),
    nodeOf(driver, failure) {
      try {
        return drivers.node(driver);
      } catch (error) {
        throw new Error(`kubernetes.io/csi: ${failure}: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

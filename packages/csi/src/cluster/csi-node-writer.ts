import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import type { RegisteredCsiDriver } from '../csi-drivers.ts';
import type { CSINode, Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { strategicDiff } from '@rxlet/kube-api/strategic-merge';
import { findTypeName } from '@rxlet/kube-api/tables';
import { isOwnedBy, newCsiNode, withDriver, withMigratedPlugins, withoutDriver } from './csi-node-object.ts';
import { nodeWithDriver, nodeWithoutDriver } from './driver-node.ts';

/** The requests of {@link createCsiNodeWriter}. */
export type CsiNodeClient = Pick<KubeClient, 'get' | 'create' | 'update' | 'patch' | 'delete'>;

/** Writes the CSINode object of a node. Every call reads before it writes, and rejects when the API server does. */
export interface CsiNodeWriter {
  /** Resolves when the API server answers requests for the object. */
  probe(signal: AbortSignal): Promise<void>;
  /** Creates the object, and replaces one that belongs to an earlier Node object of the name. Rejects while there is no Node object. */
  initialize(signal: AbortSignal): Promise<void>;
  /** Adds a driver to the Node object and to the CSINode. */
  install(driver: RegisteredCsiDriver, signal: AbortSignal): Promise<void>;
  /** Removes a driver from the CSINode and from the Node object. */
  uninstall(driverName: string, signal: AbortSignal): Promise<void>;
}

/** Creates a {@link CsiNodeWriter} with the kubelet's requests. */
export function createCsiNodeWriter(client: CsiNodeClient, nodeName: string): CsiNodeWriter {
  const ref = { name: nodeName };
  const readNode = (signal: AbortSignal): Promise<Node> => client.get(resources.nodes, ref, { signal });
  const read = async (signal: AbortSignal): Promise<CSINode | undefined> => {
    try {
      return await client.get(resources.csiNodes, ref, { signal });
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
  /** Returns the CSINode of this Node object; a new one if there is none. */
  const owned = async (node: Node, signal: AbortSignal): Promise<CSINode> => {
    const existing = await read(signal);
    if (existing === undefined) return client.create(resources.csiNodes, newCsiNode(node), { signal });
    if (isOwnedBy(existing, node)) return existing;
    await client.delete(resources.csiNodes, ref, { signal });
    throw new Error(`the CSINode of an earlier node ${nodeName} was removed`);
  };
  const replace = async (before: CSINode, after: CSINode, signal: AbortSignal): Promise<void> => {
    if (after !== before) await client.update(resources.csiNodes, after, { signal });
  };
  const changeNode = async (change: (node: Node) => Node, signal: AbortSignal): Promise<Node> => {
    const node = await readNode(signal);
    const body = metadataPatch(node, change(node));
    if (body === undefined) return node;
    return client.patch(resources.nodes, ref, { type: 'strategic', body }, { subresource: 'status', signal });
  };

  return {
    async probe(signal) {
      try {
        await client.get(resources.csiNodes, ref, { resourceVersion: '0', signal });
      } catch (error) {
        if (!isKubeError(error, 'NotFound')) throw error;
      }
    },
    async initialize(signal) {
      const csiNode = await owned(await readNode(signal), signal);
      await replace(csiNode, withMigratedPlugins(csiNode), signal);
    },
    async install(driver, signal) {
      const node = await changeNode((before) => nodeWithDriver(before, driver), signal);
      const csiNode = await owned(node, signal);
      await replace(csiNode, withDriver(csiNode, driver), signal);
    },
    async uninstall(driverName, signal) {
      const csiNode = await read(signal);
      if (csiNode !== undefined) await replace(csiNode, withoutDriver(csiNode, driverName), signal);
      await changeNode((before) => nodeWithoutDriver(before, driverName), signal);
    },
  };
}

/** Returns the strategic merge patch of the metadata that turns a Node object into another one; `undefined` when they are equal. */
function metadataPatch(before: Node, after: Node): object | undefined {
  const shape = { type: 'object-ref', ref: findTypeName('v1', 'Node')! } as const;
  return strategicDiff({ metadata: before.metadata }, { metadata: after.metadata }, shape);
}

import { join } from 'node:path';
import { type AgentModule, contribute, provide, syncTriggers } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { podObjects } from '@rxlet/agent-api/kube';
import { createFileSource, type FileSourceOptions } from './file-source.ts';
import { manifestsEndpoint } from './manifests/manifests-endpoint.ts';
import { sourceParts } from '@rxlet/agent-api/sources';

/** Name of the file with the last good pods, in the root directory of the agent. */
const LAST_GOOD_FILE = 'static_pods';

/** Options of {@link staticPods}. */
export type StaticPodsOptions = Omit<FileSourceOptions, 'nodeName'>;

/**
 * Creates the agent module that runs the static pods of a folder or file (KubeletConfiguration `staticPodPath`), as the pod source `file`. The last good pod of
 * each manifest is saved in the root directory of the agent. With `documents`, the module provides the ConfigMaps and Secrets of the folder to its pods. The endpoint
 * `/manifests` lists the files, with the refused ones.
 */
export function staticPods(options: StaticPodsOptions): AgentModule {
  return {
    name: 'static-pods',
    provides: options.documents === true ? [podObjects] : [],
    setup({ clock, files, hostFiles, node }) {
      const lastGoodFile = { files, path: join(node.rootDirectory, LAST_GOOD_FILE) };
      const source = createFileSource({ clock, hostFiles, lastGoodFile }, { ...options, nodeName: node.name });
      const served = sourceParts(source);
      const endpoint = contribute(httpEndpoints, manifestsEndpoint(source.manifests));
      const parts = { ...served, contributions: [...(served.contributions ?? []), endpoint] };
      if (options.documents !== true) return parts;
      return {
        ...parts,
        services: [provide(podObjects, source.objects)],
        // A pod may wait for an object to be corrected.
        contributions: [...parts.contributions, contribute(syncTriggers, source.objects.changes$)],
      };
    },
  };
}

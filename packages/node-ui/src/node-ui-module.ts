import { type AgentModule, contribute, healthChecks } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { nodeObject, nodeResources } from '@rxlet/agent-api/node';
import { dataEndpoints } from './endpoints/data-endpoints.ts';
import { pageEndpoints } from './endpoints/file-endpoint.ts';
import { PAGE_FOLDER } from './page-folder.ts';
import { pagePanels } from './panels.ts';
import { openLiveFeed } from './stream/live-feed.ts';
import { createSharedFeed } from './stream/shared-feed.ts';
import { streamEndpoint } from './stream/stream-endpoint.ts';

/** Options of {@link nodeUi}. */
export interface NodeUiOptions {
  /** Whether the kubelet's API has the page at `/ui/`, for clients that its authentication and authorization let in. It has no terminals. Default: no. */
  readonly onKubeletApi?: boolean | undefined;
}

/**
 * Creates the agent module that feeds the page: a stream of pods and events, the node, and the agent's insides, on the socket of the agent's owner. Without a reader it
 * costs nothing.
 */
export function nodeUi({ onKubeletApi = false }: NodeUiOptions = {}): AgentModule {
  return {
    name: 'node-ui',
    uses: [nodeObject, nodeResources],
    collects: [healthChecks, pagePanels],
    setup(context) {
      const { clock, random, node, core, services, collections } = context;
      const feed = createSharedFeed(clock, () => openLiveFeed(context, random.hex(8)));
      const endpoints = [
        streamEndpoint({ clock, feed, nodeName: node.name }),
        ...dataEndpoints({
          clock,
          core,
          nodePorts: () => ({
            core,
            node,
            resources: services.find(nodeResources),
            nodeObject: services.find(nodeObject),
            checks: collections.of(healthChecks),
          }),
          panels: () => collections.of(pagePanels),
        }),
      ];
      return {
        contributions: [
          ...endpoints.map((endpoint) => ({ ...endpoint, isLocal: !onKubeletApi })),
          ...(onKubeletApi ? pageEndpoints(PAGE_FOLDER) : []),
        ].map((endpoint) => contribute(httpEndpoints, endpoint)),
        [Symbol.asyncDispose]: async () => feed[Symbol.dispose](),
      };
    },
  };
}

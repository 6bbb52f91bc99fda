import { type AgentModule, contribute } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { openLiveFeed } from './stream/live-feed.ts';
import { createSharedFeed } from './stream/shared-feed.ts';
import { streamEndpoint } from './stream/stream-endpoint.ts';

/** Creates the agent module that feeds the page: a stream of pods and events on the socket of the agent's owner. Without a reader it costs nothing. */
export function nodeUi(): AgentModule {
  return {
    name: 'node-ui',
    setup(context) {
      const { clock, random, node } = context;
      const feed = createSharedFeed(clock, () => openLiveFeed(context, random.hex(8)));
      return {
        contributions: [
          contribute(httpEndpoints, { ...streamEndpoint({ clock, feed, nodeName: node.name }), isLocal: true }),
        ],
        [Symbol.asyncDispose]: async () => feed[Symbol.dispose](),
      };
    },
  };
}

import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { Node } from '@rxlet/kube-api';

/** Creates the endpoint `/node` of the agent's own socket: the Node object. */
export function nodeEndpoint(read: (signal: AbortSignal) => Promise<Node>): HttpEndpoint {
  return {
    path: 'node',
    methods: ['GET'],
    produces: 'application/json',
    isLocal: true,
    handle: async ({ signal }) => ({
      contentType: 'application/json',
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Node', ...(await read(signal)) }),
    }),
  };
}

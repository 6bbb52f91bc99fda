import type { Event } from '@rxlet/kube-api';
import type { Phase } from './phase.ts';
import type { ApiRequest } from './recording.ts';
import type { ReplayNode } from './replay-node.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

/** The start of an agent whose node was deleted meanwhile, of which the recording has no bodies. */
export const restartOfDeletedNode: Phase = {
  // Requests about events and pods depend on their bodies, and on what the recorded node had run before.
  expected: (requests) => requests.filter(({ path, method }) => isOfNode(method, path)),
  sent: (requests) =>
    requests.filter(({ path, method }) => isOfNode(method, path)).map(({ body: _, ...request }) => request),
  before: async ({ node, kube }) => {
    await node.stop();
    kube.objects.delete({ group: '', plural: 'nodes' }, 'node1');
  },
  actions: [{ t: 0, run: (node) => node.start() }],
  tailSeconds: 2,
};

/** Returns a start of a node without a certificate. */
export function bootstrapPhase(at: (mark: string) => number): Phase {
  const approvals = [
    { t: at('p10s-approve-client'), signer: CLIENT_SIGNER },
    { t: at('p10s-approve-serving'), signer: SERVING_SIGNER },
  ].filter(({ t }) => t > 0);
  return {
    startsAgent: true,
    expected: (requests) =>
      comparable(requests).filter(
        ({ client, path }) => client !== 'none' || (approvals.length > 0 && isOfEvents(path)),
      ),
    sent: (requests) => comparable(requests).filter(({ client }) => client !== 'none'),
    actions: [
      { t: 0, run: (node) => node.start({ bootstraps: true }) },
      ...approvals.map(({ t, signer }) => ({ t, run: (node: ReplayNode) => node.approve(signer) })),
    ],
  };
}

/**
 * The agent withholds requests without credentials, which a kubelet sends in vain; events are kept until they can be written. The number of repeats depends on that of
 * attempts to register, and the kubelet had no events left for the node's readiness: it limits them.
 */
function comparable(requests: readonly ApiRequest[]): readonly ApiRequest[] {
  return withoutStartEvents(requests).filter(
    ({ method, path, body }) =>
      // The Node object is read until it is known, from the watch or the API server.
      !(method === 'GET' && path === '/api/v1/nodes/node1') &&
      (body as Partial<Event> | undefined)?.reason !== 'NodeReady',
  );
}

function isOfNode(method: string, path: string): boolean {
  return !/\/(events|namespaces\/default\/pods)\b/.test(path) && !(method === 'GET' && path === '/api/v1/nodes/node1');
}

function isOfEvents(path: string): boolean {
  return path.includes('/events');
}

/** Events of a kubelet's start: of a disk that it does not know yet, and of cgroups of version 1, which the replay's node does not have. */
const START_EVENTS = /invalid capacity 0 on image filesystem|cgroup v1 detected/;

/** Leaves out events that only a kubelet emits at its start, and their repeats while it registers. */
export function withoutStartEvents(requests: readonly ApiRequest[]): readonly ApiRequest[] {
  return requests.filter(({ method, path, body }) => {
    const { message = '' } = (body ?? {}) as Partial<Event>;
    return !(path.includes('/events') && (method === 'PATCH' || START_EVENTS.test(message)));
  });
}

import type { KubeObject } from '@rxlet/kube-api/client';
import type { Event, NodeStatus, PodStatus } from '@rxlet/kube-api';
import type { ApiRequest, Recording } from './recording.ts';
import type { Phase } from './phase.ts';
import { bootstrapPhase, restartOfDeletedNode, withoutStartEvents } from './start-phases.ts';
import type { NodeSettings } from '@rxlet/node-status';
import { withoutPatches } from './artefacts.ts';
import { outagePhase } from './outage-phase.ts';
import type { ReplayNode } from './replay-node.ts';
import { pending, podsOf, removeManifest, writeManifest } from './replayed-pods.ts';

/** Edits of the Node object while the kubelet was down. */
const EDITED_NODE = {
  metadata: {
    labels: {
      'kubernetes.io/hostname': 'zzz',
      'kubernetes.io/arch': 'wrong',
      'kubernetes.io/os': null,
      'beta.kubernetes.io/os': null,
      'beta.kubernetes.io/arch': 'wrong',
      'lab/keep': '1',
      'lab/x': 'old',
    },
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': null },
  },
  spec: { taints: [{ key: 'lab', value: 'keep', effect: 'PreferNoSchedule' }] },
};
/** `--node-labels` and `--register-with-taints` of the restarted kubelet. */
const OTHER_FLAGS: Partial<NodeSettings> = {
  labels: { 'lab/x': 'new', 'lab/y': '1' },
  taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }],
};
const nodes = { group: '', plural: 'nodes' };
const pods = { group: '', plural: 'pods' };
/** A pod that uses CPU, as on the recorded node. */
const OTHER_POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'other', namespace: 'default' },
  spec: {
    nodeName: 'node1',
    containers: [
      {
        name: 'c',
        image: 'localhost/busybox:1.35',
        imagePullPolicy: 'IfNotPresent',
        command: ['sleep', '100000'],
        resources: { requests: { cpu: '20m' } },
      },
    ],
  },
} as KubeObject;

/** Message of a containerd without a network configuration. */
const NO_CNI = 'Network plugin returns error: cni plugin not initialized';
const OF_PODS = /^(pod|events of) (?!node1|other)/;

/** Returns what was done in a recorded phase. */
export function findPhase(recording: Recording): Phase {
  const { name } = recording;
  const at = (mark: string): number => recording.marks.find((one) => one.mark === mark)?.t ?? 0;
  switch (name.slice(0, 3).replace('-', '')) {
    case '01':
      return {
        startsAgent: true,
        expected: withoutStartEvents,
        actions: [{ t: 0, run: (node) => node.start() }],
      };
    case '01b':
      return restartOfDeletedNode;
    case '02':
      return {
        expected: (requests) => withoutStartEvents(requests).map(withoutStaleLabels),
        actions: [
          { t: at('p2a-stop'), run: ({ node }) => node.stop() },
          { t: at('p2a-stop') + 10, run: ({ kube }) => kube.objects.merge(nodes, 'node1', undefined, EDITED_NODE) },
          { t: at('p2-restart'), run: (node) => node.start({ status: { settings: OTHER_FLAGS } }) },
        ],
      };
    case '03':
    case '03b':
      return { actions: [] };
    case '05':
      return {
        concerns: OF_PODS,
        before: (node) => podsOf(recording).forEach((pod) => node.apply(pending(pod))),
        actions: [
          { t: at('p5-del-graceful'), run: ({ kube }) => kube.objects.delete(pods, 'del1', 'default') },
          { t: at('p5-del-sigkill'), run: ({ kube }) => kube.objects.delete(pods, 'del2', 'default') },
          { t: at('p5-del-force'), run: ({ kube }) => kube.objects.delete(pods, 'del3', 'default', 0) },
          { t: at('p5-del-finalizer'), run: ({ kube }) => kube.objects.delete(pods, 'del4', 'default') },
          {
            t: at('p5-del-finalizer') + 6,
            run: ({ kube }) => kube.objects.merge(pods, 'del4', 'default', { metadata: { finalizers: null } }),
          },
        ],
      };
    case '06':
      return {
        concerns: OF_PODS,
        sent: (requests) => withoutPatches(requests, hasEnded),
        actions: [
          { t: at('p6-static-create'), run: (node) => writeManifest(node, 'b') },
          { t: at('p6-static-change'), run: (node) => writeManifest(node, 'c') },
          // The deletion of the mirror pod fell together with the change of the file, of which the agent's mirror pod is the result already.
          { t: at('p6-static-remove'), run: (node) => removeManifest(node) },
        ],
      };
    case '06b':
      return {
        concerns: OF_PODS,
        // The recording lacks requests that create pods.
        sent: (requests) =>
          withoutPatches(requests, hasEnded).filter(
            ({ method, path }) => !(method === 'POST' && path.endsWith('/pods')),
          ),
        actions: [
          { t: 12, run: (node) => writeManifest(node, 'b') },
          { t: at('p6c-static-change'), run: (node) => writeManifest(node, 'c') },
          { t: at('p6c-static-remove'), run: (node) => removeManifest(node) },
        ],
      };
    case '07':
      return {
        concerns: OF_PODS,
        ...endOf(recording),
        before: (node) => node.apply(OTHER_POD),
        actions: [
          ...podsOf(recording).map((pod) => ({ t: pod.t, run: (node: ReplayNode) => node.apply(pod) })),
          ...evictionsOf(recording),
        ],
      };
    case '08':
      return outagePhase(recording, at);
    case '09':
      return {
        concerns: /^(leases|nodes|events of node1)/,
        ...sameFor(withoutReturn(at('p9-runtime-start'))),
        // The recorded kubelet had started on a node that was ready.
        before: (node) => node.start(),
        actions: [
          { t: at('p9-runtime-stop'), run: ({ node }) => node.fake.stop() },
          { t: at('p9-runtime-start'), run: ({ node }) => node.fake.start() },
          { t: at('p9-cni-gone'), run: (node) => node.setNetworkProblem(NO_CNI) },
        ],
      };
    case '10':
    case '10b':
      return bootstrapPhase(at);
    default:
      return {
        ...endOf(recording),
        actions: [
          ...podsOf(recording).map((pod) => ({ t: pod.t, run: (node: ReplayNode) => node.apply(pod) })),
          ...(name.startsWith('04b')
            ? // Before the next restart: the agent restarts at the end of the back-off, a kubelet up to half of it later.
              [{ t: 60, run: ({ kube }: ReplayNode) => kube.objects.delete(pods, 'full', 'default', 0) }]
            : []),
        ],
      };
  }
}

/** Selects the requests that have a counterpart. */
function endOf(recording: Recording): Pick<Phase, 'expected' | 'sent'> {
  switch (recording.name) {
    case '07-deadline':
      return { expected: (all) => all.filter((request) => !isRepeatOf(recording, 'DeadlineExceeded', request)) };
    case '07-live':
      return sameFor((requests) => withoutPatches(requests, showsOnlyProbes));
    default:
      return {};
  }
}

type SelectRequests = (requests: readonly ApiRequest[]) => readonly ApiRequest[];

function sameFor(select: SelectRequests): Pick<Phase, 'expected' | 'sent'> {
  return { expected: select, sent: select };
}

/**
 * Leaves out that the runtime has returned by itself: a kubelet reports its version first and the readiness of the node ten seconds later, the agent both together.
 */
function withoutReturn(afterSeconds: number): SelectRequests {
  return (requests) =>
    requests.flatMap((request) => {
      const { status } = (request.body ?? {}) as { readonly status?: NodeStatus };
      if (request.t < afterSeconds || status?.nodeInfo === undefined) return [request];
      const { nodeInfo: _, ...rest } = status;
      const changed = (status.conditions ?? []).some((condition) => condition.status !== undefined);
      return changed ? [{ ...request, body: { status: rest } }] : [];
    });
}

/** Returns the evictions of a phase. The agent has no eviction manager: what a kubelet has decided is given. */
function evictionsOf({ requests }: Recording): Phase['actions'] {
  return requests.flatMap(({ t, method, body }) => {
    const { reason, message = '', involvedObject } = (body ?? {}) as Partial<Event>;
    if (method !== 'POST' || reason !== 'Evicted') return [];
    return [{ t, run: ({ evict }: ReplayNode) => evict(involvedObject?.name ?? '', message) }];
  });
}

/**
 * Reports whether a patch shows only how far the probes of a restarted container are: a kubelet takes it for ready until they have run, and takes that back. Whether its
 * startup is shown before its readiness depends on the time of the next sync.
 */
function showsOnlyProbes({ conditions, containerStatuses = [] }: PodStatus): boolean {
  return (
    conditions === undefined &&
    containerStatuses.some(
      ({ restartCount, ready, started, state }) =>
        restartCount > 0 && state?.running !== undefined && (ready || started === true),
    )
  );
}

/** A kubelet sends labels again that its watch does not show yet. */
function withoutStaleLabels(request: ApiRequest): ApiRequest {
  const { method, query, body } = request;
  if (method !== 'PATCH' || query !== 'timeout=10s') return request;
  const { metadata: _, ...patch } = body as { readonly metadata?: unknown };
  return { ...request, body: patch };
}

/** Reports whether a status shows that a container has ended: the agent shows the end of a static pod in its mirror pod. */
function hasEnded({ containerStatuses = [] }: PodStatus): boolean {
  return containerStatuses.some(({ state }) => state?.terminated !== undefined);
}

/** Reports whether a request repeats an event. */
function isRepeatOf({ requests }: Recording, reason: string, { method, path }: ApiRequest): boolean {
  const isFirst = ({ body, method: verb }: ApiRequest): boolean =>
    verb === 'POST' && (body as Partial<Event> | undefined)?.reason === reason;
  const names = requests.filter(isFirst).map(({ body }) => (body as Event).metadata?.name);
  return method === 'PATCH' && names.includes(path.split('/').at(-1) ?? '');
}

import { EndpointError } from '@rxlet/agent-api/http';
import type { PodList } from '@rxlet/kube-api';
import { map } from 'rxjs';
import type { KubeletServerPorts } from '../ports.ts';
import { beginStream, jsonAnswer } from '../request/answer.ts';
import type { Operation, ServiceRoute } from '../routing/route.ts';
import { markSourceProblems } from '../watch/marked-pods.ts';
import { initialEvents } from '../watch/watch-event.ts';
import { type KeyedChange, writeWatch } from '../watch/watch-stream.ts';
import { flagParameter } from '../request/flag-parameter.ts';

type PodPorts = Pick<KubeletServerPorts, 'pods' | 'sourceProblems' | 'sourcesReady'>;

/** Returns the service `/pods` of a kubelet: all pods of the node with their statuses. */
export function podsRoute({ pods, sourcesReady }: PodPorts): ServiceRoute {
  const list: Operation = {
    methods: ['GET'],
    segments: { least: 0, most: 0 },
    produces: 'application/json',
    handle: () => jsonAnswer(podList(pods.list(), sourcesReady)),
  };
  return { root: '/pods', operations: [list], isOnReadOnlyPort: true };
}

/** Returns the service `/pods` of the local socket, which has watches too and shows the problems of manifests. */
export function watchablePodsRoute({ pods: plainPods, sourceProblems, sourcesReady }: PodPorts): ServiceRoute {
  const pods = sourceProblems === undefined ? plainPods : markSourceProblems(plainPods, sourceProblems);
  const listOrWatch: Operation = {
    methods: ['GET', 'HEAD'],
    segments: { least: 0, most: 0 },
    produces: 'application/json',
    handle({ parameters, response }) {
      const items = pods.list();
      if (!flagParameter(parameters, 'watch')) return jsonAnswer(podList(items, sourcesReady));
      const initial = initialEvents(items, parameters);
      response.setHeader('content-type', 'application/json');
      if (!beginStream(response)) return undefined;
      const changes$ = pods.changes$.pipe(
        map(({ type, pod }): KeyedChange => ({ key: pod.metadata?.uid ?? '', event: { type, object: pod } })),
      );
      writeWatch(response, initial, changes$);
      return undefined;
    },
  };
  return { root: '/pods', operations: [listOrWatch] };
}

function podList(items: PodList['items'], sourcesReady: PodPorts['sourcesReady']): PodList {
  // An empty list would mean that the node has no pods, which is not known yet.
  if (items.length === 0 && sourcesReady?.() === false) {
    const headers = { 'retry-after': '1' };
    throw new EndpointError(503, 'the agent has not read its pod sources yet: retry later', headers);
  }
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [...items] };
}

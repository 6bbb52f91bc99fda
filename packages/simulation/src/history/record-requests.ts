import { type FakeKube, nodeUser } from '@rxlet/fake-kube';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isMirrorPod, podUid } from '@rxlet/pod-model';
import type { HistoryRecorder } from './history.ts';
import type { RuntimeRecorder } from './record-runtime.ts';

/** A node whose requests are recorded. */
export interface RequestingNode {
  readonly name: string;
  readonly history: HistoryRecorder;
  readonly runtime: Pick<RuntimeRecorder, 'look'>;
}

/** Records the requests of agents that remove pods, or change their statuses. */
export function recordRequests(kube: FakeKube, nodes: readonly RequestingNode[]): void {
  const byUser = new Map(nodes.map((node) => [nodeUser(node.name).name, node]));
  const podOf = (name: string | undefined): Pod | undefined =>
    name === undefined ? undefined : (kube.objects.get(resources.pods, name, 'default') as Pod | undefined);
  const { handle } = kube;
  kube.handle = async (request) => {
    const [, name, subresource] = POD_PATH.exec(request.path) ?? [];
    const node = byUser.get(request.user?.name ?? '');
    const pod = CHANGES.has(request.method) ? podOf(name) : undefined;
    if (pod === undefined || node === undefined || isMirrorPod(pod)) return handle(request);
    const { runtime, history } = node;
    const body = JSON.parse(request.body ?? '{}') as RequestBody;
    const uid = body.preconditions?.uid ?? body.metadata?.uid;
    if (request.method === 'DELETE') {
      runtime.look();
      history.add({ kind: 'confirmed', uid: uid ?? podUid(pod) });
    }
    if (nodes.length < 2 || (request.method === 'PATCH' && subresource !== 'status')) return handle(request);
    const write = {
      kind: 'pod-write',
      method: request.method,
      pod: podUid(pod),
      boundTo: pod.spec?.nodeName ?? '',
      precondition: uid,
    } as const;
    try {
      const answer = await handle(request);
      history.add({ ...write, code: answer.status });
      return answer;
    } catch (error) {
      history.add(write);
      throw error;
    }
  };
}

const POD_PATH = /\/pods\/([^/?]+)(?:\/([^/?]+))?/;
const CHANGES: ReadonlySet<string> = new Set(['DELETE', 'PATCH', 'PUT']);

/** Fields of requests that facts are taken from. */
interface RequestBody {
  readonly metadata?: { readonly uid?: string };
  readonly preconditions?: { readonly uid?: string };
}

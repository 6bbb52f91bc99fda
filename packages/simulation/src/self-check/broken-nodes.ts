import { type AgentModule, contribute } from '@rxlet/agent-api';
import { statusSinks } from '@rxlet/agent-api/statuses';
import { admin, type ApiRequest, type ApiResponse } from '@rxlet/fake-kube';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod, podUid } from '@rxlet/pod-model';
import type { Assembly } from '../world/assembly.ts';
import type { BrokenAgent } from './broken-agent.ts';

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Changes the requests of agents, and the answers that they get. */
const requests = (
  change: (handle: Handle, request: ApiRequest, nodeName: string) => Promise<ApiResponse>,
): Assembly => ({
  prepare(node, cluster) {
    if (cluster === undefined) return;
    const { handle } = cluster.kube;
    cluster.kube.handle = (request) =>
      request.user?.name.endsWith(`:${node.name}`) === true ? change(handle, request, node.name) : handle(request);
  },
});

/** Takes the pod of a name for the one whose status it reports. */
const byName = (): Assembly => {
  /** UIDs of the pods whose status is reported, by node and name. */
  const uids = new Map<string, string>();
  const reporter = (nodeName: string): AgentModule => ({
    name: 'broken',
    setup: () => ({
      contributions: [
        contribute(statusSinks, {
          publish: async ({ pod }) => {
            if (!isStaticPod(pod)) uids.set(`${nodeName} ${pod.metadata?.name ?? ''}`, podUid(pod));
          },
        }),
      ],
    }),
  });
  return {
    modules: (_life, { name }) => [reporter(name)],
    ...requests(async (handle, request, nodeName) => {
      const [, name = '', subresource] = POD_PATH.exec(request.path) ?? [];
      const uid = uids.get(`${nodeName} ${name}`);
      if (uid === undefined) return handle(request);
      if (request.method === 'PATCH' && subresource === 'status') {
        const { metadata: _metadata, ...body } = JSON.parse(request.body ?? '{}') as { readonly metadata?: object };
        return handle({ ...request, body: JSON.stringify(body) });
      }
      const answer = await handle(request);
      if (request.method !== 'GET') return answer;
      // The server shows a node no pod of another one.
      const pod = answer.status === 200 ? (JSON.parse(await textOf(answer)) as Pod) : {};
      const body = bodyOf(JSON.stringify({ ...pod, metadata: { ...pod.metadata, name, namespace: 'default', uid } }));
      return { ...answer, status: 200, body };
    }),
  };
};

const POD_PATH = /\/pods\/([^/?]+)(?:\/([^/?]+))?/;

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Agents with one defect each in what only several nodes put to the test. */
export const BROKEN_NODES: readonly BrokenAgent[] = [
  {
    name: 'takes the pods of all nodes for its own',
    workload: 'nodes',
    seeds: 5,
    properties: ['acts-on-own-pods', 'writes-own-pods'],
    assembly: () =>
      requests((handle, request) => {
        const path = request.path.replace(/fieldSelector=spec\.nodeName%3D[^&]*&?/, '');
        return handle(path === request.path ? request : { ...request, path, user: admin });
      }),
  },
  {
    name: 'writes statuses by the names of pods',
    workload: 'nodes',
    seeds: 5,
    properties: ['writes-own-pods'],
    assembly: byName,
  },
];

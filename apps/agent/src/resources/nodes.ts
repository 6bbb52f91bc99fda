import type { Node } from '@rxlet/kube-api';
import { formatSince } from '@rxlet/pod-model/summary';
import { AgentConnectionError } from '../commands/agent-connection.ts';
import type { Cell } from '../output/table.ts';
import type { ResourceKind } from './resource-kind.ts';

const ROLE_LABEL = 'node-role.kubernetes.io/';

/** The node of the agent. */
export const nodes: ResourceKind<Node> = {
  apiVersion: 'v1',
  kind: 'Node',
  names: ['nodes', 'node', 'no'],
  isNamespaced: false,
  path: '/node',
  isWatchable: false,
  columns: [
    { title: 'NAME', cell: ({ metadata }) => metadata?.name ?? '' },
    { title: 'STATUS', cell: statusOf },
    { title: 'ROLES', cell: rolesOf },
    { title: 'AGE', cell: ({ metadata }, nowMs) => formatSince(metadata?.creationTimestamp, nowMs) },
    { title: 'VERSION', cell: ({ status }) => status?.nodeInfo?.kubeletVersion ?? '' },
    { title: 'INTERNAL-IP', isWide: true, cell: (node) => addressOf(node, 'InternalIP') },
    { title: 'OS-IMAGE', isWide: true, cell: ({ status }) => status?.nodeInfo?.osImage || '<unknown>' },
    { title: 'KERNEL-VERSION', isWide: true, cell: ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>' },
    {
      title: 'CONTAINER-RUNTIME',
      isWide: true,
      cell: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
    },
  ],
  objectsOf: (answer) => [answer as Node],
  fieldsOf: ({ metadata, spec }) => ({
    'metadata.name': metadata?.name ?? '',
    'spec.unschedulable': String(spec?.unschedulable ?? false),
  }),
  select([node], name) {
    if (node?.metadata?.name === name) return node;
    throw new AgentConnectionError(
      `there is no node "${name}": this agent's is "${node?.metadata?.name ?? ''}", and other nodes have their own`,
    );
  },
};

function statusOf({ status, spec }: Node): Cell {
  const isReady = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const text = `${isReady ? 'Ready' : 'NotReady'}${spec?.unschedulable === true ? ',SchedulingDisabled' : ''}`;
  return { text, tone: isReady ? 'good' : 'bad' };
}

function rolesOf({ metadata }: Node): string {
  const labels = Object.keys(metadata?.labels ?? {}).filter((key) => key.startsWith(ROLE_LABEL));
  return labels.map((key) => key.slice(ROLE_LABEL.length)).join(',') || '<none>';
}

function addressOf({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
}

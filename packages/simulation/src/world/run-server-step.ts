import { nodeUser } from '@rxlet/fake-kube';
import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import type { TestCluster } from '@rxlet/testing';
import type { ServerStep } from '../workload/step.ts';
import type { Later } from './later.ts';

const LEASES = 'kube-node-lease';
/** Time after which the pings of a real connection find out that it is dead. */
const DEAD_CONNECTION_MS = 45_000;
const REPLAYED_CHANGES = 20;

/** Disturbs the API server, for all nodes. */
export function runServerStep(step: Exclude<ServerStep, { do: 'node-gone' }>, kube: Kube, later: Later): void {
  switch (step.do) {
    case 'api-fault':
      kube.faults.add(step.fault);
      break;
    case 'watches':
      disturbWatches(step.how, kube, later);
      break;
    case 'stale':
      kube.setStaleness(step.revisions);
      later.add(step.ms, () => kube.setStaleness(0));
      break;
    case 'api-outage':
      if (!kube.isRunning) break;
      kube.stop();
      later.add(step.ms, () => kube.start());
  }
}

/** Disturbs the connection of one node with the API server. What concerns the server itself concerns all nodes. */
export function runConnectionStep(
  step: Exclude<ServerStep, { do: 'node-gone' }>,
  cluster: TestCluster,
  later: Later,
): void {
  const { kube, node } = cluster;
  const user = nodeUser(node.name).name;
  switch (step.do) {
    case 'api-fault':
      kube.faults.add({ ...step.fault, match: { ...step.fault.match, user } });
      break;
    case 'watches':
      disturbWatches(step.how, kube, later, user);
      break;
    case 'stale':
      runServerStep(step, kube, later);
      break;
    case 'api-outage':
      if (!cluster.isConnected) break;
      cluster.isConnected = false;
      later.add(step.ms, () => void (cluster.isConnected = true));
  }
}

type Kube = TestCluster['kube'];

function disturbWatches(
  how: Extract<ServerStep, { do: 'watches' }>['how'],
  kube: Kube,
  later: Later,
  user?: string,
): void {
  const match = user === undefined ? {} : { user };
  if (how === 'compact') kube.compact();
  if (how === 'rewind') kube.setReplay(REPLAYED_CHANGES);
  if (how === 'freeze') {
    kube.freezeWatches(match);
    later.add(DEAD_CONNECTION_MS, () => void kube.cutWatches(match));
  } else {
    kube.cutWatches(match);
  }
}

/** Deletes the Node object, and creates it with another UID after a while. */
export function replaceNode(ms: number, { kube, node: { name } }: TestCluster, later: Later): void {
  const found = kube.objects.get(resources.nodes, name) as Node | undefined;
  if (found === undefined) return;
  kube.objects.delete(resources.nodes, name);
  if (kube.objects.get(resources.leases, name, LEASES) !== undefined)
    kube.objects.delete(resources.leases, name, LEASES);
  later.add(ms, () => {
    // An agent that has started meanwhile has registered it.
    if (kube.objects.get(resources.nodes, name) !== undefined) return;
    const { labels, annotations } = found.metadata ?? {};
    const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
    kube.objects.create(resources.nodes, { metadata, spec: found.spec });
  });
}

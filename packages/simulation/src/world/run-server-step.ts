import type { Node } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import type { TestCluster } from '@rxlet/testing';
import type { ServerStep } from '../workload/step.ts';
import type { Later } from './later.ts';

const LEASES = 'kube-node-lease';
/** Time after which the pings of a real connection find out that it is dead. */
const DEAD_CONNECTION_MS = 45_000;
const REPLAYED_CHANGES = 20;

/** Disturbs the API server. */
export function runServerStep(step: ServerStep, { kube }: TestCluster, later: Later): void {
  switch (step.do) {
    case 'api-fault':
      kube.faults.add(step.fault);
      break;
    case 'watches':
      if (step.how === 'compact') kube.compact();
      if (step.how === 'rewind') kube.setReplay(REPLAYED_CHANGES);
      if (step.how === 'freeze') {
        kube.freezeWatches();
        later.add(DEAD_CONNECTION_MS, () => void kube.cutWatches());
      } else {
        kube.cutWatches();
      }
      break;
    case 'stale':
      kube.setStaleness(step.revisions);
      later.add(step.ms, () => kube.setStaleness(0));
      break;
    case 'api-outage':
      if (!kube.isRunning) break;
      kube.stop();
      later.add(step.ms, () => kube.start());
      break;
    case 'node-gone':
      replaceNode(step.ms, kube, later);
  }
}

/** Deletes the Node object, and creates it with another UID after a while. */
function replaceNode(ms: number, kube: TestCluster['kube'], later: Later): void {
  const name = 'node1';
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

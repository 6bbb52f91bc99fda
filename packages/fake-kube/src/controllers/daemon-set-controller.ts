import type { Node, Pod, PodSpec, Toleration } from '@rxlet/kube-api';
import { toleratesTaint } from '@rxlet/pod-model/scheduling';
import { isSelected } from '../scheduler/choose-node.ts';
import { type Controller, createPods, deletePods, writeStatus } from './controller.ts';
import { isActive, readySinceMs } from './pod-facts.ts';
import { templateHash } from './template-hash.ts';
import { type DaemonSet, workloadTypes } from './workloads.ts';

const HASH_LABEL = 'controller-revision-hash';
const TOLERATIONS: readonly Toleration[] = [
  ...['not-ready', 'unreachable'].map((name) => ({ name, effect: 'NoExecute' as const })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    name,
    effect: 'NoSchedule' as const,
  })),
].map(({ name, effect }) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));

/** Keeps one pod of each DaemonSet on every node that it selects and tolerates. */
export const daemonSetController: Controller = {
  type: workloadTypes.daemonSets,
  reconcile(object, ports) {
    if (object.metadata.deletionTimestamp !== undefined) return undefined;
    const { spec, metadata } = object as unknown as DaemonSet;
    const hash = templateHash(spec.template);
    const nodes = ports.store.list(ports.types.nodes) as unknown as readonly Node[];
    const podSpec = withTolerations(spec.template.spec ?? { containers: [] });
    const chosen = nodes.filter((node) => isEligible(podSpec, node)).map((node) => node.metadata!.name!);
    const pods = ports.podsOf(metadata.uid).filter(isActive);
    const byNode = Map.groupBy(pods, (pod) => nodeOf(pod) ?? '');
    for (const name of chosen.filter((each) => !byNode.has(each))) {
      const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
      const template = { metadata: { ...spec.template.metadata, labels }, spec: pinnedTo(podSpec, name) };
      createPods(ports, object, template, 1);
    }
    const isWanted = new Set(chosen);
    deletePods(
      ports,
      pods.filter((pod) => !isWanted.has(nodeOf(pod) ?? '')),
    );
    const isUpdated = ({ metadata: own }: Pod): boolean => own?.labels?.[HASH_LABEL] === hash;
    const isReady = (pod: Pod): boolean => readySinceMs(pod) !== undefined;
    const ready = pods.filter(isReady).length;
    if (spec.updateStrategy?.type !== 'OnDelete' && ready === chosen.length)
      deletePods(ports, pods.filter((pod) => !isUpdated(pod)).slice(0, 1));
    const latest = ports.store.get(workloadTypes.daemonSets, metadata) ?? object;
    writeStatus(ports, workloadTypes.daemonSets, latest, {
      currentNumberScheduled: byNode.size,
      numberMisscheduled: [...byNode.keys()].filter((name) => !isWanted.has(name)).length,
      desiredNumberScheduled: chosen.length,
      numberReady: ready,
      observedGeneration: metadata.generation,
      updatedNumberScheduled: pods.filter(isUpdated).length,
      ...(ready > 0 && { numberAvailable: ready }),
      ...(chosen.length > ready && { numberUnavailable: chosen.length - ready }),
    });
    return undefined;
  },
};

function withTolerations(spec: PodSpec): PodSpec {
  return { ...spec, tolerations: [...(spec.tolerations ?? []), ...TOLERATIONS] };
}

function isEligible(spec: PodSpec, node: Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  const isTolerated = taints.every((taint) =>
    spec.tolerations!.some((toleration) => toleratesTaint(toleration, taint)),
  );
  return isTolerated && isSelected({ spec }, node);
}

/** Returns the spec of a pod for one node, which the scheduler then chooses. */
function pinnedTo(spec: PodSpec, nodeName: string): PodSpec {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}

function nodeOf({ spec }: Pod): string | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec?.nodeName ?? terms?.[0]?.matchFields?.[0]?.values?.[0];
}

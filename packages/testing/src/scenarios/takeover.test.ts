import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PodChange } from '@rxlet/agent-api';
import { ContainerState, NamespaceMode } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { containerHash } from '@rxlet/pod-model/hash';
import { decodeManifest } from '@rxlet/pod-source';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A pod as a kubelet 1.36 left it on containerd: its manifest, what it gave the runtime, and what it reported last. */
interface KubeletPod {
  readonly manifest: Pod;
  readonly sandboxes: readonly RuntimeObject[];
  /** Oldest first; those with an exit code have exited. */
  readonly containers: readonly (RuntimeObject & { readonly exitCode?: number })[];
  readonly phase: string;
  /** Status of the condition `Ready`. */
  readonly ready: string;
}

interface RuntimeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly attempt: number;
  };
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

const IMAGE = 'docker.io/library/busybox:1.36';
const fixture = new URL('../fixtures/kubelet-node.jsonl.gz', import.meta.url);
const kubeletPods = gunzipSync(readFileSync(fixture))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as KubeletPod);

const podOf = async ({ manifest }: KubeletPod): Promise<Pod> => {
  const file = `/manifests/${manifest.metadata?.name ?? ''}.json`;
  const { pod } = await decodeManifest(JSON.stringify(manifest), { nodeName: 'node1', origin: { file } });
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...configSource } } };
};
const configSource = { 'kubernetes.io/config.source': 'file' };

/** Makes the runtime hold the pod as after the kubelet was stopped. */
async function runAsKubelet({ fake }: TestNode, { manifest, sandboxes, containers, phase }: KubeletPod): Promise<void> {
  await fake.images.pullImage({ image: { image: IMAGE } });
  const network = manifest.spec?.hostNetwork === true ? NamespaceMode.NODE : NamespaceMode.POD;
  const namespaceOptions = { network };
  for (const { metadata, labels, annotations } of sandboxes) {
    const config = {
      metadata: { ...metadata, namespace: metadata.namespace ?? '', uid: metadata.uid ?? '' },
      labels,
      annotations,
      logDirectory: `/logs/${metadata.namespace ?? ''}_${metadata.name}_${metadata.uid ?? ''}`,
      linux: { securityContext: { namespaceOptions } },
    };
    const { podSandboxId } = await fake.runtime.runPodSandbox({ config });
    for (const { exitCode, ...container } of containers) {
      const { containerId } = await fake.runtime.createContainer({
        podSandboxId,
        sandboxConfig: config,
        config: {
          ...container,
          image: { image: IMAGE },
          command: ['serve'],
          logPath: `${container.metadata.name}/0.log`,
        },
      });
      await fake.runtime.startContainer({ containerId });
      if (exitCode !== undefined) fake.exitContainer(containerId, exitCode);
    }
    if (phase === 'Succeeded' || phase === 'Failed') await fake.runtime.stopPodSandbox({ podSandboxId });
  }
}

/** Ids of the containers with their states, and of the sandboxes. */
const runtimeObjects = ({ fake }: TestNode): readonly string[] => {
  const { containers, sandboxes } = fake.snapshot();
  return [
    ...sandboxes.map(({ id, state }) => `${id} ${String(state)}`),
    ...containers.map(({ id, state }) => `${id} ${ContainerState[state]}`),
  ].toSorted();
};

describe('an agent that takes a node over from a kubelet', () => {
  it('restarts no container, and shows each pod as the kubelet did from the beginning', async () => {
    // The container of the pod "probes" serves there.
    const node = createTestNode({ scripts: { [IMAGE]: { ports: [{ port: 8080, protocol: 'http' }] } } });
    onTestFinished(() => node[Symbol.asyncDispose]());
    for (const pod of kubeletPods) await runAsKubelet(node, pod);
    await node.advance(60_000);
    const before = runtimeObjects(node);

    node.desire(...(await Promise.all(kubeletPods.map(podOf))));
    const changes: PodChange[] = [];
    const agent = await node.start({
      onCreated: ({ pods }) => void pods.changes$.subscribe((change) => changes.push(change)),
    });
    await node.advance(60_000);
    expect(runtimeObjects(node)).toEqual(before);

    const shown = (name: string) =>
      changes.filter(({ pod }) => pod.metadata?.name === name).map(({ pod }) => stateOf(pod));
    for (const { manifest, phase, ready } of kubeletPods) {
      const name = `${manifest.metadata?.name ?? ''}-node1`;
      const states = [...new Set(shown(name))];
      const isProbed = manifest.spec?.containers.some(({ readinessProbe }) => readinessProbe !== undefined) === true;
      // Readiness is not known before the first probe.
      const unknown = isProbed && ready === 'True' ? [`${phase} ready False`] : [];
      expect([name, ...states]).toEqual([name, ...unknown, `${phase} ready ${ready}`]);
    }
    expect(changes.flatMap(({ pod }) => containersThatStart(pod))).toEqual([]);
    expect(agent.pods.list()).toHaveLength(kubeletPods.length);
  });

  it('lets a pod run that the kubelet has started anew since the agent saw its end', async () => {
    const node = createTestNode();
    onTestFinished(() => node[Symbol.asyncDispose]());
    const pod = manifestPod('job', { restartPolicy: 'Never' });
    node.desire(pod);
    await node.start();
    await node.advance(5_000);
    node.fake.exitContainer(node.instances('job')[0]!.id, 0);
    await node.until(() => node.agent().pods.list()[0]?.status?.phase === 'Succeeded');
    await node.stop();

    // The manifest was removed and added again: its UID is the same.
    for (const { id } of node.fake.snapshot().sandboxes) await node.fake.runtime.removePodSandbox({ podSandboxId: id });
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const labels = {
      'io.kubernetes.pod.name': name,
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.uid': uid,
    };
    await runAsKubelet(node, {
      manifest: pod,
      sandboxes: [{ metadata: { name, namespace, uid, attempt: 0 }, labels, annotations: {} }],
      containers: [
        {
          metadata: { name: 'app', attempt: 0 },
          labels: { ...labels, 'io.kubernetes.container.name': 'app' },
          annotations: { 'io.kubernetes.container.hash': containerHash(pod.spec!.containers[0]!) },
        },
      ],
      phase: 'Running',
      ready: 'True',
    });
    await node.start();
    await node.advance(60_000);
    expect(node.running()).toEqual(['job/app']);
    expect(node.agent().pods.list()).toMatchObject([{ status: { phase: 'Running' } }]);
  });
});

function stateOf({ status }: Pod): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return `${status?.phase ?? ''} ready ${String(ready)}`;
}

/** Returns the running containers that do not count as started. */
function containersThatStart({ metadata, status }: Pod): readonly string[] {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return statuses
    .filter(({ state, started }) => state?.running !== undefined && started !== true)
    .map(({ name }) => `${metadata?.name ?? ''}/${name}`);
}

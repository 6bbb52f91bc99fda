import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient, createUndiciTransport, loadKubeconfig } from '@rxlet/kube-client';
import { createHostFiles } from '@rxlet/node-files';
import type { BenchRun } from './bench-part.ts';
import { startProcess, until, workspace } from './child-process.ts';
import { rxletVariants } from './launcher.ts';
import { IMAGE } from './manifests.ts';
import { withFakeRuntime } from './with-fake-runtime.ts';

const NODE = 'bench';
const GRACE_PERIOD_SECONDS = 1;
/** Time after the first rejection at which a running pod is deleted. */
const DELETION_AFTER_MS = 5_000;
/** Requests that create pods at the same time. */
const CONCURRENCY = 32;

/** Binds thousands of pods to a node that has room for 110, with the default limit of 50 requests a second, and deletes one that runs meanwhile. */
export async function benchRejectedPods({ print, long }: BenchRun): Promise<void> {
  const count = long ? 10_000 : 1_000;
  const [program = '', ...before] = rxletVariants().at(-1)!.command;
  await withFakeRuntime(async (runtime, endpoint, folder) => {
    await runtime.images.pullImage({ image: { image: IMAGE } });
    const kubeconfig = join(folder, 'admin.kubeconfig');
    const nodeKubeconfig = join(folder, 'node.kubeconfig');
    await using _server = startProcess([
      join(workspace, 'node_modules/.bin/fake-kube'),
      ...['--listen', '127.0.0.1:0', '--kubeconfig', kubeconfig, '--node-kubeconfig', `${NODE}=${nodeKubeconfig}`],
    ]);
    const hostFiles = createHostFiles();
    await until('the API server listens', async () => (await hostFiles.stat(nodeKubeconfig)) !== undefined);
    await using transport = createUndiciTransport(
      { clock: systemClock, hostFiles },
      await loadKubeconfig(hostFiles, kubeconfig),
    );
    const ports = { transport, clock: systemClock, random: systemRandom, logger: noopLogger };
    const client = createKubeClient(ports, { userAgent: 'bench' });
    const config = join(folder, 'kubelet.yaml');
    await writeFile(config, JSON.stringify(kubeletConfiguration(folder)));
    await using agent = startProcess([
      program,
      ...before,
      ...['--container-runtime-endpoint', endpoint, '--root-dir', join(folder, 'root'), '--config', config],
      ...['--kubeconfig', nodeKubeconfig, '--hostname-override', NODE],
    ]);
    const isRegistered = (): Promise<boolean> =>
      client.get(resources.nodes, { name: NODE }).then(
        ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
        () => false,
      );
    await until('the node is ready', isRegistered, 60_000, 50);

    await using watch = client.watch(resources.pods);
    const running = new Set<string>();
    const rejected = new Set<string>();
    const gone = new Set<string>();
    const subscription = follow(watch.changes$, {
      task: 'reading pods',
      logger: noopLogger,
      next(change) {
        if (change.type === 'snapshot') return;
        const name = change.object.metadata?.name ?? '';
        if (change.type === 'deleted') gone.add(name);
        else if (change.object.status?.phase === 'Running') running.add(name);
        else if (change.object.status?.phase === 'Failed') rejected.add(name);
      },
    });
    watch.start();
    const cpuBeforeMs = (await agent.usage()).cpuMs;
    const beganMs = systemClock.monotonicNow();
    const names = Array.from({ length: count }, (_, index) => `pod-${String(index)}`).values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const name of names) await client.create(resources.pods, pod(name));
      }),
    );
    print(`${String(count)} pods bound in ${seconds(beganMs)}`);
    await until('a pod is rejected', async () => rejected.size > 0 && running.size > 0);
    await until('the deletion', async () => systemClock.monotonicNow() - beganMs > DELETION_AFTER_MS);
    const [victim] = running;
    const deletedMs = systemClock.monotonicNow();
    const rejectedBefore = rejected.size;
    await client.delete(resources.pods, { name: victim!, namespace: 'default' });
    await until('the deleted pod is gone', async () => gone.has(victim!), 600_000);
    print(
      `a running pod with a grace period of ${String(GRACE_PERIOD_SECONDS)} s is gone ${seconds(deletedMs)} after its deletion, after ${String(rejectedBefore)} rejections`,
    );
    await until('all pods are rejected', async () => rejected.size + running.size >= count, 3_600_000, 50);
    const { cpuMs, rssMb, peakMb } = await agent.usage();
    print(
      `${String(rejected.size)} pods rejected in ${seconds(beganMs)} with ${((cpuMs - cpuBeforeMs) / 1000).toFixed(1)} s of CPU; ` +
        `${String(running.size)} run; RSS ${rssMb.toFixed(0)} MB (at most ${peakMb.toFixed(0)})`,
    );
    subscription.unsubscribe();
  });
}

const seconds = (sinceMs: number): string => `${((systemClock.monotonicNow() - sinceMs) / 1000).toFixed(1)} s`;

function pod(name: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
      containers: [{ name: 'main', image: IMAGE, command: ['sleep', 'infinity'] }],
    },
    status: { phase: 'Pending' },
  };
}

function kubeletConfiguration(folder: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    podLogsDir: join(folder, 'logs'),
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: '127.0.0.1',
    port: 0,
    readOnlyPort: 0,
    healthzPort: 0,
    // The pods of a fake runtime have no processes.
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ['none'],
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { type ControlPlane, controlPlaneUnavailable, startControlPlane } from '@rxlet/test-containerd/control-plane';
import { usageOf } from '../child-process.ts';
import { startFleetProcess } from './fleet-process.ts';
import { createConfigMaps, loadPods, type PodTimes, removePods, withClient } from './load-pods.ts';

/** A fleet to measure. */
export interface FleetCase {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly workers: number;
}

/** Costs of a fleet. CPU is in seconds, memory in MB. */
export interface FleetFigures extends PodTimes, FleetCase {
  readonly readySeconds: number;
  readonly nodesCpu: number;
  readonly nodesRssMb: number;
  readonly podsCpu: number;
  /** Of API server and etcd meanwhile; 0 when the API server is a part of the fleet. */
  readonly podsServerCpu: number;
  readonly podsRssMb: number;
  /** After a minute and a half at rest. */
  readonly restRssMb: number;
  /** Cores in use at rest. */
  readonly restCores: number;
  readonly restServerCores: number;
  readonly stopSeconds: number;
  /** Load average of the machine at the start and at the end. */
  readonly load: readonly [number, number];
}

/** Time after the pods are Running at which a fleet has returned memory to the system. */
const SETTLE_MS = 95_000;
const REST_MS = 20_000;
/** Nodes have limits of their own; an API server of a cluster of this size has these. */
const API_SERVER_FLAGS = ['--max-requests-inflight=2000', '--max-mutating-requests-inflight=1000'];

/** Reports whether fleets are measured with a real API server. */
export function hasControlPlane(): boolean {
  return controlPlaneUnavailable() === undefined;
}

/** Measures fleets one after the other, with the API server and etcd of a real control plane where there is one, else with `--fake-kube`. */
export async function measureFleets(
  cases: readonly FleetCase[],
  onFigures: (figures: FleetFigures) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-bench-'));
  try {
    if (!hasControlPlane()) {
      for (const one of cases) onFigures(await measureFleet(one, join(folder, 'kubeconfig'), undefined));
      return;
    }
    for (const one of cases) {
      const plane = await startControlPlane(join(folder, `plane-${String(one.nodes)}-${String(one.workers)}`), {
        controllers: false,
        apiServerFlags: API_SERVER_FLAGS,
      });
      try {
        await plane.apply({
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'default', namespace: 'default' },
        });
        await withClient(plane.adminKubeconfig, createConfigMaps);
        onFigures(await measureFleet(one, plane.adminKubeconfig, plane));
      } finally {
        await plane[Symbol.asyncDispose]();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureFleet(
  one: FleetCase,
  kubeconfig: string,
  plane: ControlPlane | undefined,
): Promise<FleetFigures> {
  const { nodes, podsPerNode, workers } = one;
  const startLoad = loadavg()[0]!;
  const cluster =
    plane === undefined
      ? ['--fake-kube', '--no-controllers', '--listen', '127.0.0.1:0', '--admin-kubeconfig', kubeconfig]
      : ['--kubeconfig', kubeconfig, '--node-ip', '127.0.0.1'];
  await using fleet = await startFleetProcess([
    ...cluster,
    ...['--nodes', String(nodes), '--workers', String(workers), '--events-per-second', '0'],
  ]);
  const servers = plane === undefined ? [] : ['kube-apiserver', 'etcd'].map((name) => plane.pids().get(name)!);
  const serverCpu = async (): Promise<number> =>
    (await Promise.all(servers.map(usageOf))).reduce((sum, { cpuMs }) => sum + cpuMs / 1000, 0);
  const read = async () => ({ own: await usageOf(fleet.pid), server: await serverCpu() });

  const atReady = await read();
  return await withClient(kubeconfig, async (client) => {
    const times = await loadPods(client, nodes, podsPerNode, () => fleet.check());
    const atRunning = await read();
    await sleep(systemClock, SETTLE_MS);
    const beforeRest = await read();
    await sleep(systemClock, REST_MS);
    const afterRest = await read();
    await removePods(client);
    const stopSeconds = await fleet.stop();
    return {
      ...{ ...one, ...times, stopSeconds, load: [startLoad, loadavg()[0]!] },
      readySeconds: fleet.readySeconds,
      nodesCpu: atReady.own.cpuMs / 1000,
      nodesRssMb: atReady.own.rssMb,
      podsCpu: (atRunning.own.cpuMs - atReady.own.cpuMs) / 1000,
      podsServerCpu: atRunning.server - atReady.server,
      podsRssMb: atRunning.own.rssMb,
      restRssMb: afterRest.own.rssMb,
      restCores: (afterRest.own.cpuMs - beforeRest.own.cpuMs) / REST_MS,
      restServerCores: ((afterRest.server - beforeRest.server) * 1000) / REST_MS,
    };
  });
}

import type { BenchRun } from './bench-part.ts';
import { type FleetCase, type FleetFigures, hasControlPlane, measureFleets } from './fleet/measure-fleet.ts';

/** Measures `rxlet-fleet` with 100 nodes of ten pods, and with 500, 1,000 and 2,000 if requested: start, pods, memory and rest. */
export async function benchFleet({ print, long }: BenchRun): Promise<void> {
  print(
    hasControlPlane()
      ? 'with the API server and etcd of RXLET_TEST_CONTROL_PLANE'
      : 'with an API server in the process of the fleet: RXLET_TEST_CONTROL_PLANE names no real one',
  );
  await measureFleets(fleetCases(long), (figures) => describe(figures).forEach(print));
}

/** Returns the fleets that are measured. */
export function fleetCases(long: boolean): readonly FleetCase[] {
  const sizes = long ? [500, 1000, 2000] : [100];
  return sizes.flatMap((nodes) => [1, 2].map((workers) => ({ nodes, podsPerNode: 10, workers })));
}

function describe(figures: FleetFigures): readonly string[] {
  const { nodes, podsPerNode, workers, load } = figures;
  const seconds = (value: number): string => `${value.toFixed(1)} s`;
  const perNode = (megabytes: number): string => `${(megabytes / nodes).toFixed(2)} MB`;
  return [
    `${String(nodes)} nodes, ${String(podsPerNode)} pods each, ${String(workers)} ${workers === 1 ? 'thread' : 'threads'}; load ${load[0].toFixed(1)} to ${load[1].toFixed(1)}`,
    `  nodes ready after ${seconds(figures.readySeconds)} (CPU ${seconds(figures.nodesCpu)}), RSS of a node ${perNode(figures.nodesRssMb)}`,
    `  last pod created after ${seconds(figures.createdSeconds)}, Running after ${seconds(figures.runningSeconds)}; a pod: median ${seconds(figures.medianSeconds)}, 99 of 100 ${seconds(figures.p99Seconds)}`,
    `  CPU for the pods ${seconds(figures.podsCpu)}, API server and etcd ${seconds(figures.podsServerCpu)}`,
    `  RSS of a node with its pods ${perNode(figures.podsRssMb)}, at rest ${perNode(figures.restRssMb)} (${figures.restRssMb.toFixed(0)} MB in all)`,
    `  at rest ${figures.restCores.toFixed(2)} cores, API server and etcd ${figures.restServerCores.toFixed(2)}; end within ${seconds(figures.stopSeconds)}`,
  ];
}

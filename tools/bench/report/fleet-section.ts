import type { FleetFigures } from '../fleet/measure-fleet.ts';

/** Costs that are extrapolated, because they depend on the number of nodes. */
const COSTS: readonly {
  readonly name: string;
  readonly unit: string;
  readonly of: (figures: FleetFigures) => number;
}[] = [
  { name: 'nodes ready after', unit: 's', of: ({ readySeconds }) => readySeconds },
  { name: 'CPU of the start', unit: 's', of: ({ nodesCpu }) => nodesCpu },
  { name: 'last pod Running after', unit: 's', of: ({ runningSeconds }) => runningSeconds },
  { name: 'CPU for the pods', unit: 's', of: ({ podsCpu }) => podsCpu },
  { name: 'CPU for the pods of API server and etcd', unit: 's', of: ({ podsServerCpu }) => podsServerCpu },
  { name: 'memory (RSS) after that', unit: 'MB', of: ({ podsRssMb }) => podsRssMb },
  { name: 'memory (RSS) at rest', unit: 'MB', of: ({ restRssMb }) => restRssMb },
  { name: 'CPU at rest', unit: 'cores', of: ({ restCores }) => restCores },
  { name: 'CPU at rest of API server and etcd', unit: 'cores', of: ({ restServerCores }) => restServerCores },
];

/** Number of nodes that is extrapolated to. */
const EXTRAPOLATED = 5000;

/** A straight line through measurements. */
export interface Line {
  readonly constant: number;
  readonly slope: number;
}

/** Returns the straight line through points with the least squares; through the origin for a single one. */
export function fitLine(points: readonly (readonly [number, number])[]): Line {
  const count = points.length;
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / count;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) return { constant: 0, slope: meanY / meanX };
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return { constant: meanY - slope * meanX, slope };
}

/** Renders the costs of fleets as a section of the report; nothing without fleets. Pure. */
export function fleetSection(fleets: readonly FleetFigures[], isRealServer: boolean): readonly string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const sorted = fleets.toSorted((a, b) => a.nodes - b.nodes);
  const header = [
    '',
    ...sorted.map(({ nodes }) => nodes.toLocaleString('en')),
    `${EXTRAPOLATED.toLocaleString('en')}, extrapolated`,
    'cost of a node, largest to smallest fleet',
  ];
  const [smallest, largest] = [sorted[0], sorted.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const loads = sorted.flatMap(({ load }) => load);
  const loadText = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1)).join(' to ');
  return [
    '## Fleet',
    '',
    `\`rxlet-fleet\` with ${String(smallest.podsPerNode)} pods on each node, each with a readiness probe, in ${String(smallest.workers)} ${smallest.workers === 1 ? 'thread' : 'threads'} of a process, ${
      isRealServer
        ? 'with kube-apiserver and etcd on the same machine'
        : 'with an API server in the same process, whose costs are included'
    }. One run each; the load average of the machine was ${loadText}. The last two columns are the shape of the curve: a straight line through the measurements, and the ratio of the costs of one node.`,
    '',
    row(header),
    row(header.map(() => '---')),
    ...COSTS.filter(({ of }) => sorted.some((figures) => of(figures) > 0)).map(({ name, unit, of }) => {
      const line = fitLine(sorted.map((figures) => [figures.nodes, of(figures)]));
      // A line that falls below zero is noise.
      const extrapolated = line.constant + line.slope * EXTRAPOLATED;
      const text = (value: number): string => `${value.toFixed(unit === 'MB' ? 0 : unit === 'cores' ? 2 : 1)} ${unit}`;
      const ratio = of(largest) / largest.nodes / (of(smallest) / smallest.nodes);
      return row([
        name,
        ...sorted.map((figures) => text(of(figures))),
        extrapolated > 0 ? text(extrapolated) : '–',
        ratio.toFixed(2),
      ]);
    }),
    '',
    'Published by others, not measured here: [KWOK](https://github.com/kubernetes-sigs/kwok), whose nodes and pods are rules without an agent, states in its README that it creates 20 nodes or pods a second and maintains 1,000 nodes with 100,000 pods.',
  ];
}

import { describe, expect, it } from 'vitest';
import type { FleetFigures } from '../fleet/measure-fleet.ts';
import { fitLine, fleetSection } from './fleet-section.ts';

const figures = (nodes: number, more: Partial<FleetFigures> = {}): FleetFigures => ({
  ...{ nodes, podsPerNode: 10, workers: 2, createdSeconds: 1, medianSeconds: 1, p99Seconds: 1, stopSeconds: 1 },
  ...{ readySeconds: nodes / 100, nodesCpu: nodes / 50, nodesRssMb: nodes, runningSeconds: 1, podsCpu: 1 },
  ...{ podsServerCpu: 0, podsRssMb: 100 + 2 * nodes, restRssMb: 1, restCores: 1, restServerCores: 0, load: [1, 2] },
  ...more,
});

describe('the section of fleets', () => {
  it('extrapolates by a straight line, and shows how the cost of a node changes', () => {
    const text = fleetSection([figures(2000), figures(500)], true).join('\n');
    expect(text).toContain('| nodes ready after | 5.0 s | 20.0 s | 50.0 s | 1.00 |');
    expect(text).toContain('| memory (RSS) after that | 1100 MB | 4100 MB | 10100 MB | 0.93 |');
  });

  it('names whose costs are included, and omits costs without a measurement', () => {
    const text = fleetSection([figures(100)], false).join('\n');
    expect(text).toContain('in the same process, whose costs are included');
    expect(text).not.toContain('API server and etcd');
  });

  it('extrapolates nothing that falls with the number of nodes, and is empty without fleets', () => {
    const text = fleetSection([figures(500, { restCores: 2 }), figures(1000, { restCores: 1 })], true).join('\n');
    expect(text).toContain('| CPU at rest | 2.00 cores | 1.00 cores | – | 0.25 |');
    expect(fleetSection([], true)).toEqual([]);
  });

  it('marks figures of others', () => {
    expect(fleetSection([figures(100)], true).at(-1)).toMatch(/^Published by others, not measured here/);
  });
});

describe('fitLine', () => {
  it('passes through the origin with a single point', () => {
    expect(fitLine([[10, 20]])).toEqual({ constant: 0, slope: 2 });
  });
});

import { describe, expect, it } from 'vitest';
import { describeFailures } from './command-line.ts';
import { vectorKinds } from './kinds/index.ts';
import { runVectorFile, type VectorResults } from './run-vector-file.ts';
import { defaultDirectory, listVectorFiles, readVectorFile } from './vector-files.ts';

/** How many vectors there are of each kind in which the packages agree with a kubelet in all of them. */
const complete: Readonly<Record<string, number>> = {
  cgroups: 200,
  events: 40,
  logs: 250,
  'pod-actions': 1500,
  'pod-status': 1000,
  primitives: 1350,
  'static-pods': 170,
};

async function runKind(name: string): Promise<VectorResults> {
  return runVectorFile(readVectorFile(defaultDirectory, name), vectorKinds.get(name)!);
}

describe('the answers recorded from a kubelet', () => {
  it.each(Object.entries(complete))('are those of the packages: %s', async (name, count) => {
    const { passed, failures } = await runKind(name);
    expect(describeFailures(failures)).toBe('');
    expect(passed).toBe(count);
  });

  it('are those of the packages where the packages can do what was asked: cri-requests', async () => {
    const { passed, failures } = await runKind('cri-requests');
    const unexplained = failures.filter(({ differences }) => !differences[0]!.includes('not supported yet: '));
    expect(describeFailures(unexplained)).toBe('');
    expect(passed).toBeGreaterThanOrEqual(46);
  });

  it('are of kinds that can be run', () => {
    expect(listVectorFiles(defaultDirectory)).toEqual([...vectorKinds.keys()].sort());
  });
});

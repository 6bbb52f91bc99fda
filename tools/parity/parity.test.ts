import { describe, expect, it } from 'vitest';
import { describeFailures } from './command-line.ts';
import { vectorKinds } from './kinds/index.ts';
import { runVectorFile, type VectorResults } from './run-vector-file.ts';
import { defaultDirectory, listVectorFiles, readVectorFile } from './vector-files.ts';

/** Number of vectors of each kind in which the packages agree with a kubelet in all vectors. */
const complete: Readonly<Record<string, number>> = {
  cgroups: 200,
  'cpu-manager': 200,
  'cri-requests': 55,
  env: 405,
  events: 40,
  eviction: 240,
  'hosts-file': 200,
  https: 206,
  'kubelet-config': 356,
  logs: 250,
  'memory-manager': 200,
  metrics: 288,
  mounts: 250,
  'node-admission': 351,
  'node-status': 200,
  'pod-actions': 1500,
  'pod-status': 1000,
  primitives: 1350,
  'qos-cgroups': 208,
  'static-pod-uids': 78,
  'static-pods': 170,
  'stats-summary': 140,
  'topology-manager': 300,
};

async function runKind(name: string): Promise<VectorResults> {
  return runVectorFile(readVectorFile(defaultDirectory, name), vectorKinds.get(name)!);
}

describe('the answers recorded from a kubelet', () => {
  it.each(Object.entries(complete))('match the answers of the packages: %s', async (name, count) => {
    const { passed, failures } = await runKind(name);
    expect(describeFailures(failures)).toBe('');
    expect(passed).toBe(count);
  });

  it('belong to supported kinds', () => {
    expect(listVectorFiles(defaultDirectory)).toEqual([...vectorKinds.keys()].sort());
  });
});

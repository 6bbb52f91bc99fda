import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { buildContainerConfig } from './build-container-config.ts';
import { defaultNodeSettings } from './node-settings.ts';

describe('buildContainerConfig', () => {
  it('rejects arguments that are more than a runtime takes', () => {
    const build = (count: number): number => {
      const pod = testPod({ containers: [{ name: 'app', args: Array.from({ length: count }, () => '$(BIG)') }] });
      return buildContainerConfig({
        pod,
        container: pod.spec!.containers[0]!,
        restartCount: 0,
        environment: new Map([['BIG', 'x'.repeat(2 ** 20)]]),
        imageRef: 'sha256:1',
        imageUser: { uid: 0n },
        mounts: [],
        settings: { ...defaultNodeSettings, memoryCapacityBytes: 1n << 30n },
      }).args.length;
    };
    expect(build(16)).toBe(16);
    expect(() => build(17)).toThrow('the command has more than 16777216 characters');
  });
});

import { describe, expect, it } from 'vitest';
import {
  containerFieldPath,
  findPodContainer,
  hasAnyPrivilegedContainer,
  isSidecar,
  podContainers,
} from './containers.ts';
import { testContainer, testPod } from './testing.ts';

const pod = testPod({
  initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
  containers: [{ name: 'web' }, { name: 'cache' }],
  spec: { ephemeralContainers: [{ name: 'debug', targetContainerName: 'web' }] },
});
const names = (found: ReturnType<typeof podContainers>): string[] =>
  found.map(({ kind, index, container }) => `${kind} ${index} ${container.name}`);

describe('podContainers', () => {
  it('returns init, regular and ephemeral containers', () => {
    expect(names(podContainers(pod))).toEqual([
      'init 0 setup',
      'init 1 proxy',
      'regular 0 web',
      'regular 1 cache',
      'ephemeral 0 debug',
    ]);
  });

  it('returns containers of the given kinds', () => {
    expect(names(podContainers(pod, ['ephemeral', 'init']))).toEqual([
      'ephemeral 0 debug',
      'init 0 setup',
      'init 1 proxy',
    ]);
  });

  it('returns none for a pod without a spec', () => {
    expect(podContainers({})).toEqual([]);
  });
});

describe('findPodContainer', () => {
  it('finds a container of any kind by its name', () => {
    expect(findPodContainer(pod, 'cache')).toMatchObject({ kind: 'regular', index: 1, container: { name: 'cache' } });
    expect(findPodContainer(pod, 'debug')).toMatchObject({ kind: 'ephemeral', index: 0 });
    expect(findPodContainer(pod, 'absent')).toBeUndefined();
  });
});

describe('isSidecar', () => {
  it('is an init container with restart policy Always', () => {
    expect(podContainers(pod, ['init']).map(({ container }) => isSidecar(container))).toEqual([false, true]);
    expect(isSidecar(testContainer({ restartPolicy: 'OnFailure' }))).toBe(false);
  });
});

describe('hasAnyPrivilegedContainer', () => {
  it('checks containers of all kinds', () => {
    const privileged = { securityContext: { privileged: true } };
    expect(hasAnyPrivilegedContainer(pod)).toBe(false);
    expect(hasAnyPrivilegedContainer(testPod({ containers: [{}, privileged] }))).toBe(true);
    expect(hasAnyPrivilegedContainer(testPod({ initContainers: [privileged] }))).toBe(true);
    const ephemeralContainers = [{ name: 'debug', ...privileged }];
    expect(hasAnyPrivilegedContainer(testPod({ spec: { ephemeralContainers } }))).toBe(true);
  });
});

describe('containerFieldPath', () => {
  it('contains list and container', () => {
    expect(containerFieldPath('regular', 'web')).toBe('spec.containers{web}');
    expect(containerFieldPath('init', 'setup')).toBe('spec.initContainers{setup}');
    expect(containerFieldPath('ephemeral', 'debug')).toBe('spec.ephemeralContainers{debug}');
  });
});

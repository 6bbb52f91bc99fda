import { expect, it } from 'vitest';
import { nestedMountPoints } from './nested-mount-points.ts';

const podWith = (...mounts: readonly (readonly [name: string, mountPath: string])[]) => ({
  spec: { containers: [{ name: 'app', volumeMounts: mounts.map(([name, mountPath]) => ({ name, mountPath })) }] },
});

it('lists the mount points of other volumes below the volume, without those nested twice', () => {
  const pod = podWith(
    ['own', '/dir'],
    ['a', '/dir/nested'],
    ['b', '/dir/nested/double'],
    ['c', '/dir/nested-volume'],
    ['d', '/dir/x/y/'],
    ['e', '/directory'],
  );
  expect(nestedMountPoints(pod, 'own').toSorted()).toEqual(['nested', 'nested-volume', 'x/y']);
  expect(nestedMountPoints(pod, 'e')).toEqual([]);
});

it('reject a mount path above the root of the container', () => {
  expect(() => nestedMountPoints(podWith(['own', '../../etc']), 'own')).toThrow('invalid container mount point');
});
